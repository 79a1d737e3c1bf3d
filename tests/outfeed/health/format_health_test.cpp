// What-if counts against casts by ml_dtypes and NumPy
// (make_format_references.py), and best scales against trying them all.
#include "outfeed/health/format_health.hpp"
#include "outfeed/tensor_sample.hpp"
#include "summary/statistics/half_float.hpp"
#include "tests/support/reference_file.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <tuple>
#include <vector>

namespace popscope::outfeed {
namespace {

const NumberFormat &formatOf(const std::string &name) {
  return *std::find_if(
      kNumberFormats.begin(), kNumberFormats.end(),
      [&](const NumberFormat &format) { return format.name == name; });
}

Magnitudes magnitudesOf(const std::vector<std::uint16_t> &halves) {
  Magnitudes magnitudes;
  magnitudes.add(histogramOf(sampleOfHalves(halves)));
  return magnitudes;
}

// How many halves a cast made zero and so on.
struct CastCounts {
  std::uint64_t flushed = 0, subnormal = 0, topBinade = 0, saturated = 0;
};

CastCounts castCounts(const testsupport::ReferenceCase &cast,
                      const std::vector<std::uint16_t> &halves) {
  CastCounts counts;
  const std::int64_t nonZero = cast.number("non_zero"),
                     normal = cast.number("normal"), top = cast.number("top"),
                     saturated = cast.number("saturated");
  for (const std::uint16_t half : halves) {
    const std::int64_t magnitude = half & 0x7fff;
    if (magnitude == 0 || magnitude >= 0x7c00)
      continue;
    if (magnitude >= saturated)
      ++counts.saturated;
    else if (magnitude >= top)
      ++counts.topBinade;
    else if (magnitude < nonZero)
      ++counts.flushed;
    else if (magnitude < normal)
      ++counts.subnormal;
  }
  return counts;
}

void expectHolds(const CountBounds &bounds, std::uint64_t count,
                 std::uint64_t mostUnsure, const char *what) {
  EXPECT_LE(bounds.atLeast, count) << what;
  EXPECT_GE(bounds.atMost, count) << what;
  EXPECT_LE(bounds.atMost - bounds.atLeast, mostUnsure) << what;
}

// `mostUnsure`: elements in the ranges where the kind of result changes.
void compare(const testsupport::ReferenceCase &cast,
             const std::vector<std::uint16_t> &halves,
             const Magnitudes &magnitudes, std::uint64_t mostUnsure) {
  const FormatHealth health = formatHealth(
      magnitudes, formatOf(cast.text("format")), int(cast.number("scale")));
  const CastCounts counts = castCounts(cast, halves);
  SCOPED_TRACE(cast.text("format") + " at scale " +
               std::to_string(cast.number("scale")));
  expectHolds(health.flushed, counts.flushed, mostUnsure, "flushed");
  expectHolds(health.subnormal, counts.subnormal, 2 * mostUnsure, "subnormal");
  expectHolds(health.topBinade, counts.topBinade, 2 * mostUnsure, "top");
  expectHolds(health.saturated, counts.saturated, mostUnsure, "saturated");
}

std::vector<testsupport::ReferenceCase> casts() {
  return testsupport::ReferenceReader(REFERENCE_DIR "/formats.ref.gz").cases();
}

TEST(FormatHealth, AgreesWithCastsOfAllHalfPatterns) {
  // Buckets of a sample reach 16 octaves down, those of half 40. So there are
  // three tensors that together have every pattern, of both signs.
  constexpr std::uint16_t kEdges[] = {0, 0x0400, 0x4000, 0x8000};
  constexpr std::uint64_t kHalvesOfAnOctave = 2 * 1024;
  for (unsigned part = 0; part < 3; ++part) {
    std::vector<std::uint16_t> halves;
    for (unsigned magnitude = kEdges[part]; magnitude < kEdges[part + 1];
         ++magnitude)
      for (const unsigned sign : {0u, 0x8000u})
        halves.push_back(std::uint16_t(magnitude | sign));
    const Magnitudes magnitudes = magnitudesOf(halves);
    for (const auto &cast : casts())
      compare(cast, halves, magnitudes, kHalvesOfAnOctave);
  }
}

TEST(FormatHealth, IsSureWhetherTheLargestElementIsSaturated) {
  const std::vector<testsupport::ReferenceCase> all = casts();
  for (unsigned half = 1; half < 0x7c00; half += 7) {
    const std::vector<std::uint16_t> one{
        std::uint16_t(half | (half % 2) << 15)};
    const auto &cast = all[half % all.size()];
    compare(cast, one, magnitudesOf(one), 1);
    const FormatHealth health =
        formatHealth(magnitudesOf(one), formatOf(cast.text("format")),
                     int(cast.number("scale")));
    const std::uint64_t saturated = castCounts(cast, one).saturated;
    EXPECT_EQ(health.saturated.atLeast, saturated) << half;
    EXPECT_EQ(health.saturated.atMost, saturated) << half;
  }
}

TEST(FormatHealth, TellsTheHeadroomInOctaves) {
  Magnitudes magnitudes;
  magnitudes.add(histogramOf(sampleOfFloats(std::vector<float>{-1024, 3})));
  EXPECT_NEAR(formatHealth(magnitudes, formatOf("half"), 0).headroom, 6, 1e-3);
  EXPECT_NEAR(formatHealth(magnitudes, formatOf("half"), 7).headroom, -1, 1e-3);
  EXPECT_EQ(formatHealth(magnitudes, formatOf("half"), 7).saturated.atLeast,
            1u);
}

// Rounds like a cast: to a multiple of the distance between neighbours.
double cast(double value, const NumberFormat &format) {
  const int exponent = std::max(std::ilogb(value), format.leastExponent);
  const double step = std::ldexp(1.0, exponent - format.fractionBits);
  return std::nearbyint(value / step) * step;
}

TEST(FormatHealth, FindsTheBestScaleThatTryingAllFinds) {
  std::mt19937 random(5);
  for (unsigned trial = 0; trial < 60; ++trial) {
    const double centre = std::normal_distribution<double>(0, 12)(random);
    const double spread = trial % 7;
    std::vector<float> values;
    for (unsigned i = 0; i < 200; ++i)
      values.push_back(float(
          std::exp2(std::normal_distribution<double>(centre, spread)(random))));
    Magnitudes magnitudes;
    magnitudes.add(histogramOf(sampleOfFloats(values)));
    for (const NumberFormat &format : kNumberFormats) {
      const auto lossAt = [&](int scale) {
        std::uint64_t flushed = 0, subnormal = 0, saturated = 0;
        for (const float value : values) {
          const double result = cast(std::ldexp(double(value), scale), format);
          saturated += result >= format.largest;
          flushed += result == 0;
          subnormal += result != 0 && result < format.smallestNormal();
        }
        return std::tuple(saturated != 0, flushed, subnormal);
      };
      int best = 0;
      for (int scale = -200; scale <= 200; ++scale)
        if (std::tuple(lossAt(scale), std::abs(scale)) <
            std::tuple(lossAt(best), std::abs(best)))
          best = scale;
      const int found = bestScale(magnitudes, format);
      const auto [saturates, flushed, subnormal] = lossAt(found);
      const auto [no, leastFlushed, leastSubnormal] = lossAt(best);
      SCOPED_TRACE(std::string(format.name) + ", trial " +
                   std::to_string(trial));
      EXPECT_FALSE(saturates);
      EXPECT_FALSE(no);
      // What is below all buckets may make no difference to us.
      if (std::log2(magnitudes.largest()) - 16 <
          std::log2(*std::min_element(values.begin(), values.end()))) {
        EXPECT_EQ(flushed, leastFlushed);
        EXPECT_EQ(subnormal, leastSubnormal);
        EXPECT_NEAR(found, best, 1);
      }
    }
  }
}

TEST(FormatHealth, DoesNotLowerTheScaleForWhatIsBelowAllBuckets) {
  Magnitudes magnitudes;
  magnitudes.add(
      histogramOf(sampleOfFloats(std::vector<float>{3e-5f, -4e-5f, 2, 1024})));
  EXPECT_GE(bestScale(magnitudes, formatOf("half")), 0);
}

TEST(FormatHealth, OfZerosAloneNeedsNoScale) {
  Magnitudes magnitudes;
  magnitudes.add(histogramOf(sampleOfFloats(std::vector<float>(8, 0.0f))));
  EXPECT_EQ(magnitudes.zeros(), 8u);
  const FormatHealth health = formatHealth(magnitudes, formatOf("f143"), 0);
  EXPECT_EQ(health.flushed.atMost, 0u);
  EXPECT_EQ(bestScale(magnitudes, formatOf("f143")), 0);
  EXPECT_FALSE(lossScaleChange({magnitudes}, formatOf("half")));
}

Magnitudes spanning(float smallest, float largest) {
  std::vector<float> values;
  for (float value = smallest; value <= largest; value *= 1.5f)
    values.push_back(value);
  Magnitudes magnitudes;
  magnitudes.add(histogramOf(sampleOfFloats(values)));
  return magnitudes;
}

TEST(LossScaleAdvice, RaisesItIfGradientsAreLostAndAllHaveRoom) {
  // Up to 1e-3 there are 25 octaves, one of which stays free.
  EXPECT_EQ(lossScaleChange({spanning(1e-7f, 1e-4f), spanning(1e-6f, 1e-3f)},
                            formatOf("half")),
            10);
  EXPECT_EQ(lossScaleChange({spanning(1e-7f, 1e-4f), spanning(10.0f, 6e3f)},
                            formatOf("half")),
            2);
}

TEST(LossScaleAdvice, LeavesItIfNothingIsLost) {
  EXPECT_EQ(lossScaleChange({spanning(1e-3f, 10.0f)}, formatOf("half")), 0);
}

TEST(LossScaleAdvice, LowersItIfAGradientIsTooLarge) {
  EXPECT_EQ(lossScaleChange({spanning(1.0f, 5e5f)}, formatOf("half")), -4);
}

TEST(Magnitudes, OfManyHistogramsTakeNoMoreRoom) {
  Magnitudes magnitudes;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::size_t ranges = 0;
  for (unsigned i = 0; i < 300; ++i) {
    std::vector<float> values(100);
    for (float &value : values)
      value = normal(random);
    magnitudes.add(histogramOf(sampleOfFloats(values)));
  }
  magnitudes.forEach([&](const Magnitudes::Range &) { ++ranges; });
  EXPECT_EQ(magnitudes.count(), 30000u);
  EXPECT_LT(ranges, 150u);
}

} // namespace
} // namespace popscope::outfeed
