// Every instruction set this processor has, against the plain loops.
#include "summary/statistics/half_float.hpp"
#include "summary/statistics/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <hwy/targets.h>
#include <random>
#include <vector>

namespace popscope::summary::kernels {
namespace {

class Kernels : public testing::TestWithParam<std::int64_t> {
protected:
  void SetUp() override {
    hwy::SetSupportedTargetsForTest(GetParam());
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  void TearDown() override {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

std::vector<float> normal(std::size_t count, float mean, float scale) {
  std::mt19937 random{unsigned(count)};
  std::normal_distribution<float> distribution(mean, scale);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(random);
  return values;
}

TEST_P(Kernels, BlockStatsAreThoseOfThePlainLoop) {
  for (const auto &[mean, scale] :
       {std::pair(0.0F, 1.0F), std::pair(1e4F, 1.0F), std::pair(0.0F, 1e-40F),
        std::pair(0.0F, 1e30F)})
    for (const std::size_t count : {1u, 31u, 64u, 1000u, 2048u, 65536u}) {
      auto values = normal(count, mean, scale);
      values[count / 2] = 0;
      ByteCounts counted{}, expectedCounts{};
      const BlockStats stats = blockStats(values.data(), count, {}, counted);
      ASSERT_LE(stats.count, count);
      ASSERT_GT(stats.count + 64, count) << "takes all whole vectors";
      const BlockStats expected =
          plain::blockStats(values.data(), stats.count, expectedCounts);
      EXPECT_EQ(counted, expectedCounts);
      EXPECT_EQ(stats.zero, expected.zero);
      EXPECT_EQ(stats.negative, expected.negative);
      EXPECT_EQ(stats.min, expected.min);
      EXPECT_EQ(stats.max, expected.max);
      EXPECT_EQ(stats.absMax, expected.absMax);
      EXPECT_EQ(stats.absMinNonZero, expected.absMinNonZero);
      const auto n = double(stats.count);
      if (stats.count == 0)
        continue;
      const double deviation = std::sqrt(expected.s2 / n);
      EXPECT_NEAR(stats.shift + stats.s1 / n, expected.shift,
                  1e-6 * (deviation + std::fabs(expected.shift)));
      EXPECT_NEAR(stats.sumAbs, expected.sumAbs, 1e-6 * expected.sumAbs);
      EXPECT_NEAR(stats.s2 - stats.s1 * stats.s1 / n, expected.s2,
                  2e-6 * expected.s2);
    }
}

TEST_P(Kernels, ElementsSmallerThanThoseBeforeAreTold) {
  std::vector<float> values(4096, 1.0F);
  Expected expected;
  expected.absMinNonZero = 0.25F;
  for (const float small :
       {0.25F, std::nextafter(0.25F, 0.0F), 1e-20F, 1e-42F}) {
    values[3000] = -small;
    ByteCounts counts{};
    const BlockStats stats =
        blockStats(values.data(), values.size(), expected, counts);
    EXPECT_EQ(std::min(stats.absMinNonZero, 0.25F), small);
    EXPECT_EQ(stats.zero, 0u);
  }
}

TEST_P(Kernels, ZerosOfBothSignsAreCounted) {
  std::vector<float> values(4096, 2.0F);
  values[0] = values[4095] = -0.0F;
  values[100] = 0.0F;
  values[200] = values[201] = -1.0F;
  values[300] = 1e-42F;
  Expected expected;
  expected.absMinNonZero = 1e-44F;
  ByteCounts counts{};
  const BlockStats stats =
      blockStats(values.data(), values.size(), expected, counts);
  EXPECT_EQ(stats.zero, 3u);
  EXPECT_EQ(stats.negative, 2u);
  EXPECT_EQ(counts[0], 4u) << "and a subnormal";
  EXPECT_EQ(counts[127], 2u);
  EXPECT_EQ(counts[128], 4096u - 6);
}

TEST_P(Kernels, ExponentsAreCountedWhereverTheyAreExpected) {
  auto values = normal(5000, 0, 1);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i > 1000 && i < 3000 && i % 3 == 0)
      values[i] *= std::ldexp(1.0F, int(i % 200) - 100);
    else if (i > 3500 && i % 2 == 0)
      values[i] = 0;
  for (const std::uint32_t first : {0u, 1u, 100u, 112u, 120u, 128u, 240u}) {
    Expected expected;
    expected.firstExponent = first;
    ByteCounts counts{}, plainCounts{};
    const BlockStats stats =
        blockStats(values.data(), values.size(), expected, counts);
    plain::blockStats(values.data(), stats.count, plainCounts);
    EXPECT_EQ(counts, plainCounts) << first;
    std::size_t others = 0;
    for (std::uint32_t e = 1; e < counts.size(); ++e)
      others += e < first || e >= first + 16 ? counts[e] : 0;
    if (GetParam() != HWY_SCALAR) { // the plain loop expects nothing
      EXPECT_EQ(stats.otherExponents, others) << first;
    }
  }
}

TEST_P(Kernels, ExtremesBeyondTheExpectedOnesAreTold) {
  auto values = normal(4992, 0, 1);
  for (const float sign : {0.0F, 1.0F, -1.0F}) {
    for (float &value : values)
      value = sign == 0 ? value : std::copysign(value, sign);
    const auto [min, max] = std::minmax_element(values.begin(), values.end());
    const auto beyond = [&](float below, float above) {
      Expected expected;
      expected.min = below;
      expected.max = above;
      ByteCounts counts{};
      const BlockStats stats =
          blockStats(values.data(), values.size(), expected, counts);
      return std::pair(std::min(stats.min, below), std::max(stats.max, above));
    };
    const float less = *min - 0.1F, more = *max + 0.1F;
    EXPECT_EQ(beyond(less, more), std::pair(less, more));
    EXPECT_EQ(beyond(-9, *max / 2).second, std::max(*max, *max / 2));
    EXPECT_EQ(beyond(*min / 2, 9).first, std::min(*min, *min / 2));
  }
}

TEST_P(Kernels, BytesAreCountedAsByThePlainLoop) {
  std::mt19937 random(2);
  std::vector<std::uint8_t> bytes(kBlock);
  for (std::uint8_t &byte : bytes)
    byte = static_cast<std::uint8_t>(random());
  for (const std::size_t count : {0u, 1u, 64u, 511u, 1024u, 2500u, 16384u})
    for (const auto &[low, high] :
         {std::pair(0u, 0u), std::pair(0u, 29u), std::pair(117u, 140u),
          std::pair(100u, 195u), std::pair(100u, 196u), std::pair(250u, 255u),
          std::pair(0u, 255u)}) {
      ByteCounts actual{}, expected{};
      countBytes(bytes.data(), count, low, high, actual);
      plain::countBytes(bytes.data(), count, low, high, expected);
      EXPECT_EQ(actual, expected) << count << ' ' << low << ' ' << high;
    }
}

TEST_P(Kernels, WhatLiesBeforeABadValueMayBeTaken) {
  auto values = normal(10000, 0, 1);
  values[7000] = std::numeric_limits<float>::quiet_NaN();
  ByteCounts counts{}, expectedCounts{};
  const BlockStats stats = blockStats(values.data(), values.size(), {}, counts);
  EXPECT_LE(stats.count, 7000u);
  const BlockStats expected =
      plain::blockStats(values.data(), stats.count, expectedCounts);
  EXPECT_EQ(counts, expectedCounts);
  EXPECT_EQ(stats.negative, expected.negative);
  EXPECT_EQ(stats.absMax, expected.absMax);
}

TEST_P(Kernels, BlocksWithBadValuesAreNotTaken) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          -std::numeric_limits<float>::infinity()}) {
    auto values = normal(2048, 0, 1);
    values[100] = bad;
    ByteCounts counts{};
    EXPECT_EQ(blockStats(values.data(), values.size(), {}, counts).count, 0u);
    EXPECT_EQ(counts, ByteCounts{});
    EXPECT_FALSE(range(values.data(), values.size()).allFinite);
  }
}

TEST_P(Kernels, RangeIsThatOfThePlainLoop) {
  for (const std::size_t count : {0u, 1u, 15u, 33u, 5000u}) {
    const auto values = normal(count, 3, 2);
    const Range actual = range(values.data(), count);
    const Range expected = plain::range(values.data(), count);
    EXPECT_EQ(actual.min, expected.min);
    EXPECT_EQ(actual.max, expected.max);
    EXPECT_TRUE(actual.allFinite);
  }
}

void expectSameBuckets(const std::vector<float> &values, double low,
                       double high, std::uint32_t buckets) {
  const UniformBuckets uniform{low, (high - low) / buckets, buckets - 1};
  std::vector<std::uint8_t> actual(values.size()), expected(values.size());
  ByteCounts actualCounts{}, expectedCounts{};
  bucketBytes(values.data(), values.size(), uniform, actual.data());
  countBytes(actual.data(), actual.size(), 0, buckets - 1, actualCounts);
  plain::bucketBytes(values.data(), values.size(), uniform, expected.data());
  plain::countBytes(expected.data(), expected.size(), 0, buckets - 1,
                    expectedCounts);
  EXPECT_EQ(actualCounts, expectedCounts) << low << ' ' << high;
}

TEST_P(Kernels, BucketsAreThoseOfThePlainLoop) {
  for (const float scale : {1.0F, 1e-38F, 1e-42F, 1e30F, 3e38F})
    for (const std::uint32_t buckets : {1u, 2u, 30u, 33u, 256u}) {
      auto values = normal(2048, 0, 1);
      for (std::size_t i = 0; i < 500; ++i)
        values[i] = float(int(i) - 250) / 250; // on edges and next to them
      for (std::size_t i = 500; i < 700; ++i)
        values[i] = std::nextafter(values[i - 300], 0.0F);
      for (float &value : values)
        value = std::max(-1.0F, std::min(1.0F, value / 4)) * scale;
      values.resize(2041);
      const auto [low, high] =
          std::minmax_element(values.begin(), values.end());
      expectSameBuckets(values, *low, *high, buckets);
    }
}

TEST(FloatOfHalf, IsExactForEveryHalf) {
  for (unsigned half = 0; half < 65536; ++half) {
    const int exponent = int(half >> 10 & 0x1f);
    const int mantissa = int(half & 0x3ff);
    const float value = floatOfHalf(static_cast<std::uint16_t>(half));
    EXPECT_EQ(std::signbit(value), half >> 15 == 1) << half;
    if (exponent == 0x1f && mantissa != 0)
      EXPECT_TRUE(std::isnan(value)) << half;
    else if (exponent == 0x1f)
      EXPECT_TRUE(std::isinf(value)) << half;
    else if (exponent == 0)
      EXPECT_EQ(std::fabs(value), std::ldexp(float(mantissa), -24)) << half;
    else
      EXPECT_EQ(std::fabs(value),
                std::ldexp(float(1024 + mantissa), exponent - 25))
          << half;
  }
}

TEST_P(Kernels, EveryHalfBecomesTheSameFloat) {
  std::vector<std::uint16_t> half(65536);
  for (std::size_t i = 0; i < half.size(); ++i)
    half[i] = static_cast<std::uint16_t>(i);
  std::vector<float> actual(65536), expected(65536);
  halfToFloat(half.data(), half.size(), actual.data());
  plain::halfToFloat(half.data(), half.size(), expected.data());
  for (std::size_t i = 0; i < half.size(); ++i) {
    if (std::isnan(expected[i])) {
      ASSERT_TRUE(std::isnan(actual[i])) << i;
      continue;
    }
    ASSERT_EQ(actual[i], expected[i]) << i;
    ASSERT_EQ(std::signbit(actual[i]), std::signbit(expected[i])) << i;
  }
}

std::vector<std::int64_t> targetsHere() {
  std::vector<std::int64_t> targets;
  for (std::int64_t left = hwy::SupportedTargets() & HWY_TARGETS; left != 0;
       left &= left - 1)
    targets.push_back(left & -left);
  return targets;
}

INSTANTIATE_TEST_SUITE_P(EveryTarget, Kernels, testing::ValuesIn(targetsHere()),
                         [](const auto &info) {
                           return std::string(hwy::TargetName(info.param));
                         });

} // namespace
} // namespace popscope::summary::kernels
