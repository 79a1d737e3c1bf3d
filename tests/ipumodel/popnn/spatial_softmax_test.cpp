#include "tests/ipumodel/popops/operators.hpp"

#include <popnn/SpatialSoftMax.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gtest/gtest.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;

namespace {

constexpr std::size_t kFields = 3, kHeight = 4, kWidth = 5;

std::vector<float> someFields() {
  std::vector<float> values;
  for (std::size_t i = 0; i < kFields * kHeight * kWidth; ++i)
    values.push_back(float(i * 23 % 32) / 8); // exact as HALF
  return values;
}

TEST(SpatialSoftMax, IsTheExpectedPlaceInEachField) {
  constexpr double kTemperature = 0.5;
  const std::vector<float> fields = someFields();
  for (const Type &type : {FLOAT, HALF}) {
    Bench b;
    const auto [places, temperature] = popnn::spatialSoftMax2D(
        b.graph, b.prog, b.tensor(type, {kFields, kHeight, kWidth}, fields),
        kTemperature);
    ASSERT_EQ(places.shape(), Shape({kFields, 2}));
    ASSERT_EQ(temperature.shape(), Shape());
    const std::vector<float> got = b.floatsOf(places);
    for (std::size_t f = 0; f < kFields; ++f) {
      double sum = 0, row = 0, column = 0;
      for (std::size_t i = 0; i < kHeight * kWidth; ++i) {
        const double share =
            std::exp(fields[f * kHeight * kWidth + i] / kTemperature);
        sum += share;
        row += share * (2.0 * double(i / kWidth) / (kHeight - 1) - 1);
        column += share * (2.0 * double(i % kWidth) / (kWidth - 1) - 1);
      }
      EXPECT_NEAR(got[2 * f], row / sum, type == HALF ? 4e-3 : 1e-5);
      EXPECT_NEAR(got[2 * f + 1], column / sum, type == HALF ? 4e-3 : 1e-5);
    }
  }
}

TEST(SpatialSoftMax, TakesProbabilitiesAsTheyAre) {
  Bench b;
  const auto [places, temperature] = popnn::spatialSoftMax2D(
      b.graph, b.prog, b.floats({1, 2, 3}, {0, 0, 4, 0, 0, 0}), 4, true);
  const std::string divisor = b.watch(temperature);
  EXPECT_EQ(b.floatsOf(places), std::vector<float>({-1, 1}));
  EXPECT_EQ(b.read<float>(divisor, 1), std::vector<float>({4}));
}

TEST(SpatialSoftMax, RefusesOtherRanks) {
  Bench b;
  EXPECT_THROW(
      popnn::spatialSoftMax2D(b.graph, b.prog, b.variable(FLOAT, {2, 3}), 1),
      poputil::poplibs_error);
}

} // namespace
