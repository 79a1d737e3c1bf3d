#include "codelets/float_bits.hpp"
#include "summary/statistics/half_float.hpp"
#include "tests/codelets/device_row.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace popscope {
namespace {

using tests::evenly;
using tests::gaussian;
using tests::statsOf;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// Between the edges, without bits of floats: as a user would count.
void expectBuckets(const std::vector<float> &values, unsigned tiles) {
  const StatsRow row = statsOf(values, tiles, StatsTier::shape);
  const int top = std::ilogb(row.absMax);
  EXPECT_EQ(int(row.topExponent), 127 + top);
  std::vector<double> edges{std::ldexp(1.0, top + 1)}; // from the top
  for (unsigned octave = 0; octave < kOctaves; ++octave) {
    const unsigned parts = octave < 5 ? 4 : 1;
    for (unsigned part = parts; part-- > 0;)
      edges.push_back(
          std::ldexp(1.0 + double(part) / parts, top - int(octave)));
  }
  ASSERT_EQ(edges.size(), kBuckets + 1u);
  std::vector<unsigned> expected[2];
  for (auto &counts : expected)
    counts.resize(kBuckets);
  for (const float value : values) {
    const double magnitude = std::fabs(double(value));
    const auto begin = std::find_if(edges.begin() + 1, edges.end(),
                                    [=](double e) { return e <= magnitude; });
    const bool isNormal = magnitude >= 0x1p-126;
    if (isNormal && begin != edges.end())
      ++expected[value < 0.0f][std::size_t(begin - edges.begin()) - 1];
  }
  for (unsigned s = 0; s < 2; ++s)
    for (unsigned b = 0; b < kBuckets; ++b)
      EXPECT_EQ(row.buckets[s][b], expected[s][b]) << s << ' ' << b;
}

TEST(MagnitudeBuckets, CountEveryMagnitudeBySign) {
  std::vector<float> values = gaussian(9000, 0.1f, 1.0f);
  for (std::size_t i = 0; i < values.size(); i += 3)
    values[i] = i % 2 ? 0.0f : -0.0f;
  expectBuckets(values, 6);
  for (float &value : values)
    value = std::max(value, 0.0f);
  expectBuckets(values, 6);
  expectBuckets(std::vector<float>(50000, -3.0f), 1);
}

TEST(MagnitudeBuckets, CountTensorsOfAnyLength) {
  for (std::size_t length = 1; length < 300; ++length) {
    SCOPED_TRACE(length);
    std::vector<float> values = gaussian(length, 0.0f, 2.0f);
    values.back() = 3.0f;
    expectBuckets(values, 1);
  }
}

TEST(MagnitudeBuckets, LeaveOutWhatIsFarBelowTheTop) {
  std::vector<float> values = gaussian(5000, 0.0f, 1.0f);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], -int(i % 60));
  expectBuckets(values, 1);
  for (float &value : values)
    value = std::fabs(value);
  expectBuckets(values, 1);
  values[7] = 1e-42f;
  values[8] = -1e-42f;
  expectBuckets(values, 1);
}

TEST(MagnitudeBuckets, BeginAtTheirEdges) {
  std::vector<float> values;
  for (unsigned b = 0; b < kBuckets; ++b) {
    const float begin = floatOf(bucketBegin(b, 130));
    for (const float magnitude :
         {begin, std::nextafter(begin, 0.0f), std::nextafter(begin, kInf)})
      values.insert(values.end(), {magnitude, -magnitude});
  }
  expectBuckets(values, 1);
  expectBuckets(values, 3);
}

// Parts of the tensor are largest at very different magnitudes, so that their
// rows divide other octaves than the whole does.
TEST(MagnitudeBuckets, OfPartsMergeExactly) {
  std::vector<float> values = gaussian(40000, 0.0f, 1.0f);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = std::ldexp(values[i], -int(i / 5000) * 2);
  expectBuckets(values, 9);
  std::reverse(values.begin(), values.end());
  expectBuckets(values, 9);
  for (float &value : values)
    value = std::fabs(value);
  expectBuckets(values, 64);
}

TEST(MagnitudeBuckets, OfAnOddBlockAreCountedOneByOne) {
  std::vector<float> values = gaussian(5000, 0.0f, 1e30f);
  values[7] = -0.0f;
  values[8] = 1e-42f;
  expectBuckets(values, 1);
  std::vector<float> tiny = gaussian(5000, 0.0f, 1e-35f);
  expectBuckets(tiny, 2);
  const StatsRow clean = statsOf(values, 2, StatsTier::shape);
  values.insert(values.begin() + 2000, {kNaN, kInf, -kInf});
  const StatsRow bad = statsOf(values, 2, StatsTier::shape);
  EXPECT_EQ(0, std::memcmp(bad.buckets, clean.buckets, sizeof clean.buckets));
}

TEST(MagnitudeBuckets, OfHalvesAndIntegersAreThoseOfTheSameFloats) {
  std::vector<std::uint16_t> halves;
  std::vector<int> integers;
  std::vector<float> fromHalves, fromIntegers;
  for (int i = 0; i < 9000; ++i) {
    const auto bits = std::uint16_t(i * 7919 % 0x7c00 | (i % 3 == 0) << 15);
    halves.push_back(bits);
    fromHalves.push_back(summary::floatOfHalf(bits));
    integers.push_back((i % 2 ? 1 : -1) * (i * i % 70001));
    fromIntegers.push_back(float(integers.back()));
  }
  const auto compare = [](const StatsRow &a, const StatsRow &b) {
    EXPECT_EQ(a.topExponent, b.topExponent);
    EXPECT_EQ(0, std::memcmp(a.buckets, b.buckets, sizeof a.buckets));
  };
  compare(statsOf(halves, poplar::HALF, evenly(halves.size(), 3)),
          statsOf(fromHalves, 3));
  compare(statsOf(integers, poplar::INT, evenly(integers.size(), 3)),
          statsOf(fromIntegers, 3));
}

} // namespace
} // namespace popscope
