#include "summary/statistics/tensor_stats.hpp"
#include "tests/support/reference_stats.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <random>

namespace popscope::summary {
namespace {

using tests::ReferenceStats;
using tests::referenceStats;

const float kNan = std::numeric_limits<float>::quiet_NaN();
const float kInf = std::numeric_limits<float>::infinity();

// Partial sums of a block are kept in float32, a few hundred terms each.
constexpr double kMomentTolerance = 1e-6;

TensorStats statsOf(const std::vector<float> &values) {
  TensorStats stats;
  stats.add(values);
  return stats;
}

void expectNear(double actual, long double expected, double scale,
                const char *what) {
  EXPECT_NEAR(actual, double(expected), kMomentTolerance * scale) << what;
}

// `scale` is the size of a typical element's deviation from the mean.
void expectMatches(const std::vector<float> &values) {
  const TensorStats stats = statsOf(values);
  const ReferenceStats reference = referenceStats(values);
  EXPECT_EQ(stats.count, reference.count);
  EXPECT_EQ(stats.nan, reference.nan);
  EXPECT_EQ(stats.posInf, reference.posInf);
  EXPECT_EQ(stats.negInf, reference.negInf);
  EXPECT_EQ(stats.zero, reference.zero);
  EXPECT_EQ(stats.positive, reference.positive);
  EXPECT_EQ(stats.negative, reference.negative);
  ASSERT_EQ(stats.finite(), reference.finite.size());

  std::uint64_t subnormal = 0, saturated = 0;
  std::array<std::uint64_t, 256> exponents{};
  double absMin = std::numeric_limits<double>::infinity();
  for (const double x : reference.finite) {
    const auto magnitude = std::fabs(static_cast<float>(x));
    std::uint32_t bits;
    std::memcpy(&bits, &magnitude, sizeof bits);
    ++exponents[bits >> 23];
    subnormal += magnitude > 0 && bits < 0x00800000u;
    saturated += magnitude == std::numeric_limits<float>::max();
    if (magnitude > 0)
      absMin = std::min(absMin, double(magnitude));
  }
  EXPECT_EQ(stats.exponents, exponents);
  EXPECT_EQ(stats.subnormal, subnormal);
  EXPECT_EQ(stats.saturated, saturated);
  EXPECT_EQ(stats.topBinade, exponents[254]);
  EXPECT_EQ(stats.absMinNonZero, absMin);

  const auto bad = std::find_if(values.begin(), values.end(), [](float value) {
    return !std::isfinite(value);
  });
  EXPECT_EQ(stats.firstBad, bad == values.end()
                                ? TensorStats::kNoIndex
                                : std::uint64_t(bad - values.begin()));
  if (reference.finite.empty()) {
    EXPECT_EQ(stats.argMin, TensorStats::kNoIndex);
    return;
  }
  const auto [min, max] =
      std::minmax_element(reference.finite.begin(), reference.finite.end());
  EXPECT_EQ(stats.min, *min);
  EXPECT_EQ(stats.max, *max);
  EXPECT_EQ(stats.absMax, std::max(std::fabs(*min), std::fabs(*max)));
  const auto firstIndex = [&](double value) {
    return std::uint64_t(std::find(values.begin(), values.end(), float(value)) -
                         values.begin());
  };
  EXPECT_EQ(stats.argMin, firstIndex(*min));
  EXPECT_EQ(stats.argMax, firstIndex(*max));

  const auto n = double(stats.finite());
  const double deviation = std::sqrt(double(reference.m2) / n);
  expectNear(stats.mean, reference.mean, deviation + stats.absMax * 1e-3,
             "mean");
  expectNear(stats.m2, reference.m2, double(reference.m2), "m2");
  // Third moments may cancel, so they are judged by the size of their terms.
  const double fourth = double(reference.m4);
  expectNear(stats.m4, reference.m4, fourth, "m4");
  expectNear(stats.m3, reference.m3, std::pow(fourth / n, 0.75) * n, "m3");
  expectNear(stats.sumAbs, reference.sumAbs, double(reference.sumAbs),
             "sumAbs");
  expectNear(stats.sumSquares, reference.sumSquares,
             double(reference.sumSquares), "sumSquares");
}

std::vector<float> normal(std::size_t count, float mean, float scale,
                          unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(mean, scale);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(),
                [&] { return distribution(random); });
  return values;
}

TEST(TensorStats, MatchTheReferenceAtEveryLength) {
  for (std::size_t count = 0; count < 200; ++count)
    expectMatches(normal(count, 0.5F, 2, unsigned(count)));
  for (const std::size_t count : {2047u, 2048u, 2049u, 4096u, 10001u, 300000u})
    expectMatches(normal(count, 0, 1));
}

TEST(TensorStats, MatchTheReferenceOnDifficultData) {
  expectMatches({});
  expectMatches({3});
  expectMatches(std::vector<float>(5000, 0.1F));
  expectMatches(std::vector<float>(5000, 0.0F));
  expectMatches(std::vector<float>(5000, -0.0F));
  std::vector<float> rising(5000), falling(5000);
  for (std::size_t i = 0; i < rising.size(); ++i) {
    rising[i] = float(i);
    falling[i] = -float(i);
  }
  expectMatches(rising);
  expectMatches(falling);
  expectMatches(normal(50000, 1e6F, 1));   // large offset, small spread
  expectMatches(normal(50000, 0, 1e-20F)); // squares below float32
  expectMatches(normal(50000, 0, 1e18F));  // fourth powers above it
  auto outlier = normal(50000, 0, 1);
  outlier[33333] = 1e6F;
  expectMatches(outlier);
}

// Several blocks of what tensors are like, so that each is judged by those
// before it.
TEST(TensorStats, MatchTheReferenceOnLongTensors) {
  constexpr std::size_t kCount = 200001;
  const auto values = normal(kCount, 0, 0.05F);
  const auto mapped = [&](auto f) {
    std::vector<float> result;
    std::transform(values.begin(), values.end(), std::back_inserter(result), f);
    return result;
  };
  const auto sigmoid = [](float x) { return 1 / (1 + std::exp(-40 * x)); };
  expectMatches(values);
  expectMatches(mapped([](float x) { return std::max(x, 0.0F); }));
  expectMatches(mapped([](float x) { return std::min(x, -0.0F); }));
  expectMatches(mapped(sigmoid));
  expectMatches(mapped([&](float x) { return -1 - sigmoid(x); }));
  expectMatches(mapped([](float x) { return x < 0 ? 3e4F : -3e4F; }));
  // Exponents far apart: half of them, all of them, and all but the first.
  expectMatches(mapped([](float x) { return x < 0 ? x : x * 1e15F; }));
  expectMatches(mapped([](float x) { return std::exp(500 * x); }));
  auto scattered = values;
  scattered[0] = 1e25F;
  expectMatches(scattered);
  // Extremes and the first bad element in late blocks.
  auto late = values;
  late[kCount - 3] = -1;
  late[kCount - 70000] = 1;
  late[150000] = 1e-30F;
  late[150001] = -0.0F;
  expectMatches(late);
  late[140000] = kNan;
  late[199999] = kInf;
  expectMatches(late);
}

TEST(TensorStats, TheFirstOfEqualExtremesIsTold) {
  std::vector<float> values(300000, 0.5F);
  values[100] = values[250000] = -2;
  values[90] = values[200000] = 3;
  expectMatches(values);
  // The later part first.
  TensorStats stats;
  const Span<const float> whole(values);
  stats.add(whole.from(150000), 150000);
  EXPECT_EQ(stats.argMin, 250000u);
  EXPECT_EQ(stats.argMax, 200000u);
  stats.add(whole.first(150000), 0);
  EXPECT_EQ(stats.argMin, 100u);
  EXPECT_EQ(stats.argMax, 90u);
}

TEST(TensorStats, MatchTheReferenceAtTheLimitsOfTheFormat) {
  std::vector<float> values = normal(4000, 0, 1e-40F); // subnormal
  values.insert(values.end(), {std::numeric_limits<float>::max(),
                               std::numeric_limits<float>::lowest(),
                               std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::min(), 0, 1});
  expectMatches(values);
  expectMatches(normal(4000, 0, 1e-40F));
  expectMatches(std::vector<float>(3000, std::numeric_limits<float>::max()));
}

TEST(TensorStats, NonFiniteElementsAreCountedAndDoNotSpread) {
  std::vector<float> values = normal(10000, 0, 1);
  values[5] = kNan;
  expectMatches(values);
  values[2048] = kInf;
  values[9999] = -kInf;
  expectMatches(values);
  for (std::size_t i = 0; i < values.size(); i += 3)
    values[i] = kNan;
  expectMatches(values);
  expectMatches(std::vector<float>(5000, kNan));
  expectMatches(std::vector<float>(100, -kInf));
}

TEST(TensorStats, WideRangesOfExponentsAreCounted) {
  std::mt19937 random(5);
  std::vector<float> values;
  while (values.size() < 20000) {
    const std::uint32_t bits = random();
    float value;
    std::memcpy(&value, &bits, sizeof value);
    values.push_back(value);
  }
  const TensorStats stats = statsOf(values);
  std::array<std::uint64_t, 256> exponents{};
  for (const float value : values) {
    std::uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (std::isfinite(value))
      ++exponents[bits >> 23 & 0xff];
  }
  EXPECT_EQ(stats.exponents, exponents);
}

TEST(TensorStats, PartsMergeToTheWholeInAnyOrder) {
  std::vector<float> values = normal(50000, 2, 3);
  values[100] = kNan;
  values[40000] = kInf;
  values[7] = values[49999] = 100; // two equal maxima
  const TensorStats whole = statsOf(values);
  std::mt19937 random(9);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<TensorStats> parts;
    for (std::size_t at = 0; at < values.size();) {
      const std::size_t size =
          std::min<std::size_t>(random() % 9000, values.size() - at);
      TensorStats part;
      part.add(Span<const float>(values).from(at).first(size), at);
      parts.push_back(part);
      at += size;
    }
    std::shuffle(parts.begin(), parts.end(), random);
    TensorStats merged;
    for (const TensorStats &part : parts)
      merged.merge(part);
    EXPECT_EQ(merged.count, whole.count);
    EXPECT_EQ(merged.nan, whole.nan);
    EXPECT_EQ(merged.posInf, whole.posInf);
    EXPECT_EQ(merged.min, whole.min);
    EXPECT_EQ(merged.argMin, whole.argMin);
    EXPECT_EQ(merged.argMax, 7u);
    EXPECT_EQ(merged.firstBad, 100u);
    EXPECT_EQ(merged.exponents, whole.exponents);
    EXPECT_NEAR(merged.mean, whole.mean, 1e-6);
    EXPECT_NEAR(merged.m2 / whole.m2, 1, 1e-6);
    EXPECT_NEAR(merged.m4 / whole.m4, 1, 1e-6);
    EXPECT_NEAR(merged.skewness(), whole.skewness(), 1e-5);
  }
}

TEST(TensorStats, DerivedNumbersAreThoseOfADistribution) {
  const TensorStats stats = statsOf(normal(1'000'000, 3, 2));
  EXPECT_NEAR(stats.mean, 3, 0.01);
  EXPECT_NEAR(stats.standardDeviation(), 2, 0.01);
  EXPECT_NEAR(stats.skewness(), 0, 0.01);
  EXPECT_NEAR(stats.kurtosis(), 3, 0.02);
  EXPECT_NEAR(stats.rms(), std::sqrt(13.0), 0.01);
  EXPECT_NEAR(stats.l2Norm(), std::sqrt(13.0) * 1000, 10);
  const TensorStats empty;
  EXPECT_EQ(empty.variance(), 0);
  EXPECT_EQ(empty.skewness(), 0);
  EXPECT_EQ(empty.rms(), 0);
}

// Every bit pattern there is.
TEST(TensorStats, HalfIsClassifiedByItsBits) {
  std::vector<std::uint16_t> patterns(65536);
  for (std::size_t i = 0; i < patterns.size(); ++i)
    patterns[i] = static_cast<std::uint16_t>(i);
  TensorStats stats;
  stats.format = FloatFormat::float16;
  stats.addHalf(patterns);
  std::uint64_t nan = 0, posInf = 0, negInf = 0, zero = 0, subnormal = 0,
                saturated = 0, top = 0;
  for (const std::uint16_t h : patterns) {
    const unsigned m = h & 0x7fffu;
    nan += m > 0x7c00;
    posInf += h == 0x7c00;
    negInf += h == 0xfc00;
    zero += m == 0;
    subnormal += m > 0 && m < 0x0400;
    saturated += m == 0x7bff;
    top += m >> 10 == 30;
  }
  EXPECT_EQ(stats.count, 65536u);
  EXPECT_EQ(stats.nan, nan);
  EXPECT_EQ(stats.posInf, posInf);
  EXPECT_EQ(stats.negInf, negInf);
  EXPECT_EQ(stats.zero, zero);
  EXPECT_EQ(stats.subnormal, subnormal);
  EXPECT_EQ(stats.saturated, saturated);
  EXPECT_EQ(stats.topBinade, top);
  EXPECT_EQ(stats.max, 65504);
  EXPECT_EQ(stats.argMax, 0x7bffu);
  EXPECT_EQ(stats.argMin, 0xfbffu);
  EXPECT_EQ(stats.absMinNonZero, 0x1p-24);
  EXPECT_EQ(stats.firstBad, 0x7c00u);
}

TEST(TensorStats, FormatsDoNotMix) {
  TensorStats half, single;
  half.format = FloatFormat::float16;
  EXPECT_THROW(single.merge(half), std::invalid_argument);
  EXPECT_THROW(single.addHalf(std::vector<std::uint16_t>(1)),
               std::invalid_argument);
}

// The same tensor of the same training may be anywhere in the memory.
TEST(TensorStats, DoNotDependOnWhereTheElementsAre) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0.5F, 3.0F);
  std::vector<float> values(200'003);
  for (float &value : values)
    value = normal(random);
  const TensorStats expected = statsOf(values);
  for (std::size_t shift = 1; shift < 17; ++shift) {
    std::vector<float> moved(shift);
    moved.insert(moved.end(), values.begin(), values.end());
    TensorStats stats;
    stats.add(Span<const float>(moved).from(shift));
    EXPECT_EQ(stats.mean, expected.mean) << shift;
    EXPECT_EQ(stats.m2, expected.m2) << shift;
    EXPECT_EQ(stats.m3, expected.m3) << shift;
    EXPECT_EQ(stats.m4, expected.m4) << shift;
    EXPECT_EQ(stats.sumAbs, expected.sumAbs) << shift;
    EXPECT_EQ(stats.sumSquares, expected.sumSquares) << shift;
  }
}

} // namespace
} // namespace popscope::summary
