#include "host/record/measured_share.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace popscope::host {
namespace {

TEST(MeasuredShare, IsTheMedianWhateverASingleMeasurementSays) {
  const MeasuredShare share =
      medianOf({0.01, 0.02, 0.015, 0.018, 0.012, 0.016, 0.014, 9.0, -5.0});
  EXPECT_DOUBLE_EQ(share.share, 0.015);
  EXPECT_NEAR(share.error, 0.005, 1e-12); // the next to the largest: 0.02
}

TEST(MeasuredShare, HasTheMedianWithinItsErrorInNineteenOfTwentyCases) {
  // A skewed distribution, as that of times: the median of exp(x) is 1.
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0.0, 0.5);
  for (const std::size_t measurements : {9, 12, 40}) {
    int inside = 0;
    constexpr int kTrials = 2000;
    for (int trial = 0; trial < kTrials; ++trial) {
      std::vector<double> values(measurements);
      for (double &value : values)
        value = std::exp(normal(random));
      const MeasuredShare share = medianOf(values);
      inside += std::abs(share.share - 1.0) <= share.error;
    }
    EXPECT_GT(inside, kTrials * 0.94) << measurements;
  }
}

TEST(MeasuredShare, SaysNoMoreDigitsThanAreKnown) {
  EXPECT_EQ(textOf({0.01234, 0.003}), "1.2 % +- 0.3 %");
  EXPECT_EQ(textOf({0.01234, 0.0004}), "1.23 % +- 0.04 %");
  EXPECT_EQ(textOf({0.55, 0.12}), "55 % +- 12 %");
  EXPECT_EQ(textOf({0.0143, 0.0106}), "1.4 % +- 1.1 %");
}

TEST(MeasuredShare, IsABoundIfItCouldBeNoise) {
  EXPECT_EQ(textOf({0.002, 0.003}), "< 0.5 %");
  EXPECT_EQ(textOf({-0.001, 0.003}), "< 0.3 %");
  EXPECT_EQ(textOf({1.0, 8.4}), "< 940 %");
}

TEST(MeasuredShare, AddsErrorsOfIndependentPartsBySquares) {
  const MeasuredShare sum = sumOf({{0.01, 0.003}, {0.02, 0.004}});
  EXPECT_DOUBLE_EQ(sum.share, 0.03);
  EXPECT_DOUBLE_EQ(sum.error, 0.005);
}

} // namespace
} // namespace popscope::host
