#include "codelets/float_bits.hpp"
#include "codelets/row_merge.hpp"
#include "summary/statistics/half_float.hpp"
#include "tests/codelets/device_row.hpp"
#include "tests/support/reference_stats.hpp"
#include "tests/support/tensor_program.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace popscope {
namespace {

using tests::anyhow;
using tests::evenly;
using tests::gaussian;
using tests::Placement;
using tests::statsOf;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Bounds promised for means, relative to the deviation, and for deviations,
// relative to themselves.
constexpr double kBound = 1e-5;

void expectMoments(const StatsRow &row, const std::vector<float> &values,
                   StatsTier tier = StatsTier::identity,
                   double bound = kBound) {
  const tests::ReferenceStats reference = tests::referenceStats(values);
  const double n = double(reference.finite.size());
  const double deviation = std::sqrt(double(reference.m2) / n);
  EXPECT_NEAR(double(row.mean) + double(row.meanLow), double(reference.mean),
              bound * deviation + 1e-13 * std::fabs(double(reference.mean)));
  EXPECT_NEAR(row.deviation, deviation, bound * deviation);
  EXPECT_NEAR(row.meanAbs, double(reference.sumAbs) / n, bound * row.meanAbs);
  if (deviation > 0 && tier >= StatsTier::shape) {
    EXPECT_NEAR(row.skewness, double(reference.m3) / n / std::pow(deviation, 3),
                1e-3);
    EXPECT_NEAR(row.kurtosis, double(reference.m4) / n / std::pow(deviation, 4),
                1e-3 * row.kurtosis);
  }
}

void expectCounts(const StatsRow &row, const std::vector<float> &values) {
  const tests::ReferenceStats reference = tests::referenceStats(values);
  EXPECT_EQ(row.count, reference.count);
  EXPECT_EQ(row.nan, reference.nan);
  EXPECT_EQ(row.posInf, reference.posInf);
  EXPECT_EQ(row.negInf, reference.negInf);
  EXPECT_EQ(row.zero, reference.zero);
  EXPECT_EQ(row.positive, reference.positive);
}

TEST(TensorStats, MatchTheReferenceForRandomNumbers) {
  const std::vector<float> values = gaussian(20000, 0.25f, 2.0f);
  const StatsRow row = statsOf(values, 5);
  expectCounts(row, values);
  expectMoments(row, values);
  const auto [min, max] = std::minmax_element(values.begin(), values.end());
  EXPECT_EQ(row.min, *min);
  EXPECT_EQ(row.max, *max);
  EXPECT_EQ(row.argMin, unsigned(min - values.begin()));
  EXPECT_EQ(row.argMax, unsigned(max - values.begin()));
  EXPECT_EQ(row.absMax, std::max(-*min, *max));
  EXPECT_EQ(row.firstBad, kNoIndex);
}

// They are summed another way than others until one is negative or their mean
// is far from zero.
TEST(TensorStats, MatchTheReferenceBehindAReLU) {
  std::vector<float> plain = gaussian(60000, 0.2f, 2.0f);
  for (float &value : plain)
    value = std::max(value, 0.0f);
  std::vector<float> laterNegative = plain, offset = plain, odd = plain;
  laterNegative[59000] = -3.0f;
  for (std::size_t i = 30000; i < offset.size(); ++i)
    offset[i] += 40.0f;
  odd[100] = -0.0f;
  odd[20000] = 1e-40f;
  odd[41000] = kInf;
  for (const auto *values : {&plain, &laterNegative, &offset, &odd})
    for (const StatsTier tier : {StatsTier::stats, StatsTier::shape})
      for (const unsigned tiles : {1u, 3u, 64u}) {
        const StatsRow row = statsOf(*values, tiles, tier);
        expectCounts(row, *values);
        expectMoments(row, *values, tier);
        std::vector<float> finite = *values;
        finite.erase(std::remove(finite.begin(), finite.end(), kInf),
                     finite.end());
        const auto [min, max] =
            std::minmax_element(finite.begin(), finite.end());
        EXPECT_EQ(row.min, *min);
        EXPECT_EQ(row.max, *max);
        EXPECT_EQ(row.absMax, *max);
        EXPECT_EQ(row.argMax,
                  unsigned(std::find(values->begin(), values->end(), *max) -
                           values->begin()));
        EXPECT_EQ(row.argMin,
                  unsigned(std::find(values->begin(), values->end(), *min) -
                           values->begin()));
        EXPECT_EQ(row.subnormal, values == &odd);
        float nearest = kInf;
        for (const float value : *values)
          if (value != 0.0f)
            nearest = std::min(nearest, std::fabs(value));
        EXPECT_EQ(row.absMinNonZero, nearest);
      }
}

TEST(TensorStats, OfAConstantHaveNoDeviation) {
  const StatsRow row = statsOf(std::vector<float>(5000, 0.1f));
  EXPECT_EQ(row.mean + row.meanLow, 0.1f);
  EXPECT_EQ(row.deviation, 0.0f);
  EXPECT_EQ(row.min, 0.1f);
  EXPECT_EQ(row.argMin, 0u);
  EXPECT_EQ(row.argMax, 0u);
}

TEST(TensorStats, KeepTheDeviationUnderAHugeOffset) {
  for (const float offset : {1e4f, -1e6f}) {
    const std::vector<float> values = gaussian(30000, offset, 1.0f);
    expectMoments(statsOf(values, 7), values);
  }
}

TEST(TensorStats, KeepTheDeviationWhenTheFirstElementIsFarOut) {
  std::vector<float> values = gaussian(3000, 0.0f, 1.0f);
  values[0] = 1e5f;
  expectMoments(statsOf(values, 1), values);
}

TEST(TensorStats, NeitherOverflowNorVanish) {
  for (const float scale : {1e36f, 1e30f, 1e-15f, 1e-17f, 1e-30f, 1e-36f})
    for (const float mean : {0.0f, 10 * scale}) {
      SCOPED_TRACE(testing::Message() << mean << " +- " << scale);
      const std::vector<float> values = gaussian(6000, mean, scale);
      const StatsRow row = statsOf(values, 2);
      expectCounts(row, values);
      expectMoments(row, values);
    }
}

TEST(TensorStats, OfSubnormalsAreAsPreciseAsThese) {
  const std::vector<float> values = gaussian(6000, 0.0f, 1e-41f);
  const StatsRow row = statsOf(values, 2);
  expectCounts(row, values);
  EXPECT_NEAR(row.deviation, 1e-41f, 3e-43f);
  EXPECT_NEAR(row.kurtosis, 3.0f, 0.2f);
}

TEST(TensorStats, OfNaNsOnlyCountThem) {
  const StatsRow row = statsOf(std::vector<float>(3000, kNaN));
  EXPECT_EQ(row.count, 3000u);
  EXPECT_EQ(row.nan, 3000u);
  EXPECT_EQ(row.firstBad, 0u);
  EXPECT_EQ(row.argMin, kNoIndex);
  EXPECT_EQ(row.absMax, 0.0f);
  EXPECT_EQ(row.mean, 0.0f);
}

TEST(TensorStats, OneInfinityIsFoundAndDoesNotSpread) {
  std::vector<float> values = gaussian(10000, 1.0f, 0.5f);
  values[7321] = -kInf;
  const StatsRow row = statsOf(values, 4);
  EXPECT_EQ(row.firstBad, 7321u);
  EXPECT_EQ(row.negInf, 1u);
  expectCounts(row, values);
  expectMoments(row, values);
}

TEST(TensorStats, OfNothingAreEmpty) {
  const StatsRow row = statsOf(std::vector<float>());
  EXPECT_EQ(row.count, 0u);
  EXPECT_EQ(row.min, kInf);
  EXPECT_EQ(row.max, -kInf);
  EXPECT_EQ(row.argMin, kNoIndex);
}

TEST(TensorStats, OfOneElementAreThatElement) {
  const StatsRow row = statsOf({-2.5f}, 1);
  EXPECT_EQ(row.count, 1u);
  EXPECT_EQ(row.min, -2.5f);
  EXPECT_EQ(row.max, -2.5f);
  EXPECT_EQ(row.mean, -2.5f);
  EXPECT_EQ(row.absMinNonZero, 2.5f);
  EXPECT_EQ(row.topExponent, 128u);
  EXPECT_EQ(row.buckets[1][bucketOf(0x40200000u, 128)], 1u);
}

TEST(TensorStats, SubnormalsSaturatedAndTheTopBinadeAreCounted) {
  const float largest = std::numeric_limits<float>::max();
  const std::vector<float> values{1e-40f,  -1e-39f,  0.0f,     -0.0f, 1.0f,
                                  largest, -largest, 0x1p127f, 3e38f};
  const StatsRow row = statsOf(values, 1);
  EXPECT_EQ(row.subnormal, 2u);
  EXPECT_EQ(row.zero, 2u);
  EXPECT_EQ(row.saturated, 2u);
  EXPECT_EQ(row.topBinade, 4u);
  EXPECT_EQ(row.absMinNonZero, 1e-40f);
}

TEST(TensorStats, AnySplitGivesTheSameCountsAndCloseMoments) {
  std::vector<float> values = gaussian(30000, 3.0f, 1.5f);
  for (const std::size_t bad : {std::size_t(17), std::size_t(20123)})
    values[bad] = kNaN;
  values[900] = 1e-41f;
  const StatsRow whole = statsOf(values, 1);
  std::vector<Placement> placements;
  for (const unsigned tiles : {2u, 3u, 7u, 16u, 33u, 64u}) {
    placements.push_back(evenly(values.size(), tiles));
    placements.push_back(anyhow(values.size(), tiles, tiles));
  }
  for (const Placement &placement : placements) {
    SCOPED_TRACE(placement.ends.size());
    const StatsRow split = statsOf(values, poplar::FLOAT, placement);
    expectCounts(split, values);
    expectMoments(split, values);
    EXPECT_EQ(split.firstBad, 17u);
    EXPECT_EQ(split.subnormal, whole.subnormal);
    EXPECT_EQ(split.min, whole.min);
    EXPECT_EQ(split.argMin, whole.argMin);
    EXPECT_EQ(split.argMax, whole.argMax);
    EXPECT_EQ(split.absMinNonZero, whole.absMinNonZero);
    EXPECT_EQ(split.hash[0], whole.hash[0]);
    EXPECT_EQ(split.hash[1], whole.hash[1]);
    EXPECT_EQ(0,
              std::memcmp(split.buckets, whole.buckets, sizeof whole.buckets));
  }
}

TEST(TensorStats, EveryHalfIsClassified) {
  std::vector<std::uint16_t> bits(65536);
  for (unsigned i = 0; i < bits.size(); ++i)
    bits[i] = std::uint16_t(i);
  const StatsRow row = statsOf(bits, poplar::HALF, evenly(bits.size(), 11));
  EXPECT_EQ(row.count, 65536u);
  EXPECT_EQ(row.nan, 2u * 1023);
  EXPECT_EQ(row.posInf, 1u);
  EXPECT_EQ(row.negInf, 1u);
  EXPECT_EQ(row.firstBad, 0x7c00u);
  EXPECT_EQ(row.zero, 2u);
  EXPECT_EQ(row.positive, 0x7c00u - 1);
  EXPECT_EQ(row.subnormal, 2u * 1023);
  EXPECT_EQ(row.saturated, 2u);
  EXPECT_EQ(row.topBinade, 2u * 1024);
  EXPECT_EQ(row.absMax, 65504.0f);
  EXPECT_EQ(row.absMinNonZero, 0x1p-24f);
  EXPECT_EQ(row.argMax, 0x7bffu);
  EXPECT_EQ(row.argMin, 0xfbffu);
  EXPECT_NEAR(row.mean, 0.0, 1e-2);
  double squares = 0; // of the halves as numbers: 1024 per binade and sign
  for (int e = -14; e <= 15; ++e)
    for (int m = 0; m < 1024; ++m)
      squares += 2 * std::pow(std::ldexp(1.0 + m / 1024.0, e), 2);
  EXPECT_NEAR(row.deviation, std::sqrt(squares / (65536 - 2048)),
              1e-4 * row.deviation);
}

TEST(TensorStats, OfHalvesMatchThoseOfTheSameFloats) {
  std::vector<std::uint16_t> bits;
  std::vector<float> values;
  std::mt19937 random(3);
  for (int i = 0; i < 8000; ++i) {
    const int exponent = int(random() % 8), mantissa = int(random() % 1024);
    const bool negative = random() % 2;
    bits.push_back(
        std::uint16_t(negative << 15 | (exponent + 8) << 10 | mantissa));
    const float value = std::ldexp(1.0f + mantissa / 1024.0f, exponent - 7);
    values.push_back(negative ? -value : value);
  }
  const StatsRow row = statsOf(bits, poplar::HALF, evenly(bits.size(), 3));
  expectCounts(row, values);
  expectMoments(row, values);
}

TEST(TensorStats, IntegersAreCountedAndAveraged) {
  std::vector<int> values;
  for (int i = -2000; i < 3000; ++i)
    values.push_back(i);
  const StatsRow row = statsOf(values, poplar::INT, evenly(values.size(), 3));
  EXPECT_EQ(row.zero, 1u);
  EXPECT_EQ(row.positive, 2999u);
  EXPECT_EQ(row.min, -2000.0f);
  EXPECT_EQ(row.max, 2999.0f);
  EXPECT_NEAR(row.mean, 499.5, 1e-3);
  EXPECT_EQ(row.saturated + row.topBinade + row.subnormal, 0u);
  const std::vector<unsigned> large{4000000000u, 4000000000u};
  EXPECT_EQ(statsOf(large, poplar::UNSIGNED_INT, evenly(2, 1)).max, 4e9f);
}

TEST(TensorStats, TheAlarmTierSeesWhatIsWrong) {
  std::vector<float> values = gaussian(5000, 0.0f, 1.0f);
  const StatsRow calm = statsOf(values, 2, StatsTier::alarm);
  EXPECT_EQ(calm.nan + calm.posInf + calm.negInf + calm.saturated, 0u);
  EXPECT_EQ(calm.absMax, statsOf(values, 2, StatsTier::stats).absMax);
  values[4321] = kNaN;
  values[4322] = kInf;
  const StatsRow bad = statsOf(values, 2, StatsTier::alarm);
  EXPECT_EQ(bad.nan, 1u);
  EXPECT_EQ(bad.posInf, 1u);
  EXPECT_EQ(bad.firstBad, 4321u);
}

TEST(TensorStats, TheHashSeesOneBitAndTheOrder) {
  std::vector<float> values = gaussian(4000, 0.0f, 1.0f);
  const StatsRow before = statsOf(values, 3);
  std::vector<float> changed = values;
  changed[1234] = std::nextafter(changed[1234], 9.0f);
  EXPECT_NE(statsOf(changed, 3).hash[0], before.hash[0]);
  std::swap(values[1], values[2]);
  EXPECT_NE(statsOf(values, 3).hash[0], before.hash[0]);
}

TEST(TensorStats, TheSketchTellsTheDistanceOfTwoTensors) {
  const std::vector<float> a = gaussian(20000, 0.0f, 1.0f, 1);
  const std::vector<float> noise = gaussian(20000, 0.0f, 1e-2f, 2);
  std::vector<float> b(a.size());
  std::transform(a.begin(), a.end(), noise.begin(), b.begin(),
                 [](float x, float y) { return x + y; });
  const StatsRow x = statsOf(a, 4), y = statsOf(b, 4);
  double estimate = 0, truth = 0;
  for (unsigned k = 0; k < kSketchBuckets; ++k)
    estimate += std::pow(double(x.sketch[k]) - double(y.sketch[k]), 2);
  for (std::size_t i = 0; i < a.size(); ++i)
    truth += std::pow(double(a[i]) - double(b[i]), 2);
  // Three standard errors of 1/sqrt(2 K).
  EXPECT_NEAR(std::sqrt(estimate / truth), 1.0, 3.0 / std::sqrt(64.0));
}

TEST(TensorStats, IndicesOfATransposedTensorAreItsOwn) {
  const std::size_t rows = 30, columns = 70;
  std::vector<float> values(rows * columns, 0.0f);
  values[12 * columns + 34] = 5.0f;
  graph::ElementOrder order;
  const auto words = runOn(
      values, poplar::FLOAT, evenly(values.size(), 4),
      [&](poplar::Graph &graph, const poplar::Tensor &tensor, auto &prog) {
        const auto stats = graph::addTensorStats(
            graph, tensor.reshape({rows, columns}).transpose(),
            StatsTier::stats, prog);
        order = stats.order;
        return stats.row;
      });
  const StatsRow row = loadRow(words.data(), StatsTier::stats);
  EXPECT_EQ(order.indexOf(row.argMax), 34 * rows + 12);
}

TEST(TensorStats, RefuseTypesTheyCannotRead) {
  poplar::Graph graph(poplar::IPUModel().createDevice().getTarget());
  graph::addCodelets(graph);
  const poplar::Tensor flags = graph.addVariable(poplar::BOOL, {4}, "flags");
  graph.setTileMapping(flags, 0);
  poplar::program::Sequence prog;
  EXPECT_THROW(graph::addTensorStats(graph, flags, StatsTier::stats, prog),
               std::invalid_argument);
}

} // namespace
} // namespace popscope
