// Every instruction set this processor has, against the plain loops.
#include "summary/kernels.hpp"

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
    for (const std::size_t count : {1u, 31u, 64u, 1000u, 2048u}) {
      auto values = normal(count, mean, scale);
      values[count / 2] = 0;
      ExponentCounts counted{}, expectedCounts{};
      const BlockStats stats = blockStats(values.data(), count, counted);
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

TEST_P(Kernels, BlocksWithBadValuesAreNotTaken) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(),
                          -std::numeric_limits<float>::infinity()}) {
    auto values = normal(2048, 0, 1);
    values[100] = bad;
    ExponentCounts counts{};
    EXPECT_EQ(blockStats(values.data(), values.size(), counts).count, 0u);
    EXPECT_EQ(counts, ExponentCounts{});
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

TEST_P(Kernels, BucketsAreThoseOfThePlainLoop) {
  auto values = normal(2048, 0, 1);
  for (std::size_t i = 0; i < 100; ++i)
    values[i] = float(i) / 8 - 6; // exactly on edges
  std::vector<std::int32_t> actual(2048), expected(2048);
  bucketIndices(values.data(), 2047, -6.25, 0.125, 99, actual.data());
  plain::bucketIndices(values.data(), 2047, -6.25, 0.125, 99, expected.data());
  EXPECT_EQ(actual, expected);
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
