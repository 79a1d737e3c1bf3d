#include "outfeed/sinks/statistic.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace popscope::outfeed {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

std::optional<double> of(const std::vector<float> &values, Statistic statistic,
                         Payload payload = Payload::identity) {
  TensorSample sample = sampleOfFloats(values);
  sample.payload = payload;
  return valueOf(statistic, sample);
}

TEST(Statistic, ExtremesAndNormAreInfiniteIfAnElementIs) {
  const std::vector<float> up{1, 2, kInf}, down{1, 2, -kInf};
  EXPECT_EQ(of(up, Statistic::max), kInf);
  EXPECT_EQ(of(up, Statistic::min), 1);
  EXPECT_EQ(of(up, Statistic::absMax), kInf);
  EXPECT_EQ(of(up, Statistic::l2Norm), kInf);
  EXPECT_EQ(of(down, Statistic::max), 2);
  EXPECT_EQ(of(down, Statistic::min), -kInf);
  EXPECT_EQ(of(down, Statistic::absMax), kInf);
  EXPECT_EQ(of(down, Statistic::l2Norm), kInf);
  EXPECT_EQ(of(up, Statistic::absMax, Payload::alarm), kInf);
}

TEST(Statistic, MeanAndDeviationAreOfFiniteElements) {
  const std::vector<float> values{1, kInf, 3, -kInf, kNaN};
  EXPECT_EQ(of(values, Statistic::mean), 2);
  EXPECT_EQ(of(values, Statistic::deviation), 1);
  EXPECT_EQ(of(values, Statistic::meanAbs), 2);
}

TEST(Statistic, NaNIsLeftOutAndCounted) {
  const std::vector<float> values{kNaN, -3, 4, kNaN};
  EXPECT_EQ(of(values, Statistic::nan), 2);
  EXPECT_EQ(of(values, Statistic::max), 4);
  EXPECT_EQ(of(values, Statistic::min), -3);
  EXPECT_EQ(of(values, Statistic::l2Norm), 5);
  EXPECT_EQ(of(values, Statistic::zeroShare), 0);
}

TEST(Statistic, OfNothingIsNotKnownRatherThanZero) {
  for (const Statistic statistic :
       {Statistic::absMax, Statistic::min, Statistic::max, Statistic::l2Norm,
        Statistic::mean, Statistic::deviation, Statistic::meanAbs,
        Statistic::skewness, Statistic::kurtosis})
    EXPECT_FALSE(of({kNaN, kNaN}, statistic)) << nameOf(statistic);
  EXPECT_FALSE(of({kInf, -kInf}, Statistic::mean));
  EXPECT_EQ(of({kInf, kInf}, Statistic::min), kInf);
  EXPECT_EQ(of({-kInf}, Statistic::max), -kInf);
  EXPECT_EQ(of({kNaN, kNaN}, Statistic::nan), 2);
  EXPECT_FALSE(of({}, Statistic::zeroShare));
}

TEST(Statistic, IsNotKnownIfThePayloadDoesNotCarryIt) {
  EXPECT_TRUE(of({1, 2}, Statistic::absMax, Payload::alarm));
  EXPECT_FALSE(of({1, 2}, Statistic::mean, Payload::alarm));
  EXPECT_FALSE(of({1, 2}, Statistic::zero, Payload::alarm));
  EXPECT_TRUE(of({1, 2}, Statistic::zero, Payload::stats));
  EXPECT_FALSE(of({1, 2}, Statistic::kurtosis, Payload::stats));
  EXPECT_TRUE(of({1, 2}, Statistic::kurtosis, Payload::shape));
}

TEST(Statistic, FingerprintsAreEqualIfTheHashesAre) {
  TensorSample sample;
  sample.payload = Payload::identity;
  for (const std::uint32_t hash : {0u, 1u, 0x7fffffu, 0x80000001u}) {
    sample.hash = {hash, 5};
    const double fingerprint = *valueOf(Statistic::fingerprint, sample);
    EXPECT_EQ(fingerprint, double(1 + (hash & 0x7fffff)));
    EXPECT_EQ(double(float(fingerprint)), fingerprint);
  }
  for (const Payload payload : {Payload::shape, Payload::full}) {
    sample.payload = payload;
    EXPECT_FALSE(valueOf(Statistic::fingerprint, sample));
  }
}

} // namespace
} // namespace popscope::outfeed
