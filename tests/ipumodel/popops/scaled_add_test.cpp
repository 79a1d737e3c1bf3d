#include "operators.hpp"

#include <popops/ScaledAdd.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using popops::ScaledAddSpecialisation;
using popops::scaledAddTo;
using popops::scaledSubtractFrom;
using poputil::poplibs_error;
using testing::ElementsAre;

TEST(ScaledAdd, AddsWithAConstantOrATensor) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.floats({2}, {10, 20});
  const Tensor scale = b.floats({1}, {100});
  scaledAddTo(b.graph, x, y, 0.5f, b.prog);
  scaledAddTo(b.graph, x, y, scale, b.prog);
  EXPECT_THAT(b.floatsOf(x), ElementsAre(1006, 2012));
}

TEST(ScaledAdd, SubtractsWithAConstantOrATensor) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.floats({2}, {10, 20});
  const Tensor scale = b.floats({}, {100});
  scaledSubtractFrom(b.graph, x, y, 0.5f, b.prog);
  scaledSubtractFrom(b.graph, x, y, scale, b.prog);
  EXPECT_THAT(b.floatsOf(x), ElementsAre(-1004, -2008));
}

TEST(ScaledAdd, ScalesBoth) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.floats({2}, {10, 20});
  const Tensor two = b.floats({}, {2}), three = b.floats({}, {3});
  scaledAddTo(b.graph, x, two, y, three, b.prog);        // 32, 64
  scaledSubtractFrom(b.graph, x, 3.0f, y, 1.0f, b.prog); // 86, 172
  scaledSubtractFrom(b.graph, x, two, y, three, b.prog); // 142, 284
  scaledAddTo(b.graph, x, 0.5f, y, 0.1f, b.prog);        // 72, 144
  EXPECT_THAT(b.floatsOf(x), ElementsAre(72, 144));
}

TEST(ScaledAdd, TakesAFloatScaleBesideAHalfOne) {
  Bench b;
  const Tensor x = b.floats({1}, {1}), y = b.floats({1}, {10});
  const Tensor h = b.halves({1}, {-6144}), g = b.halves({1}, {2048});
  const Tensor half = b.halves({}, {2}), noHalf = b.floats({}, {3.0001f});
  scaledAddTo(b.graph, x, half, y, noHalf, b.prog);
  scaledSubtractFrom(b.graph, x, noHalf, y, half, b.prog);
  // As between two FLOAT scales, only one of which is a half: one rounding.
  scaledAddTo(b.graph, h, b.halves({}, {1}), g, noHalf, b.prog);
  EXPECT_NEAR(b.floatsOf(x)[0], 3.0001f * (2 + 10 * 3.0001f) - 20, 1e-4f);
  EXPECT_NEAR(b.floatsOf(h)[0], 0.2048f, 1e-3f);
}

TEST(ScaledAdd, ConvertsTheScaleOfIntegersFirst) {
  Bench b;
  const Tensor x = b.ints({2}, {1, 2}), y = b.ints({2}, {10, -20});
  scaledAddTo(b.graph, x, y, 2.9f, b.prog);
  EXPECT_THAT(b.result<int>(x), ElementsAre(21, -38));
}

TEST(ScaledAdd, AddsHalvesToFloatsWithoutRounding) {
  Bench b;
  const Tensor x = b.floats({1}, {1e-4f}), y = b.halves({1}, {2048});
  scaledAddTo(b.graph, x, y, 1.0f / 4096, b.prog);
  EXPECT_THAT(b.floatsOf(x), ElementsAre(0.5f + 1e-4f));
}

TEST(ScaledAdd, AddsFloatsToHalvesWithOneRounding) {
  Bench b;
  // Just above the tie between 1 and the next half, where it would be if it
  // were rounded to half first.
  const Tensor x = b.halves({1}, {1}), y = b.floats({1}, {0x1.001p-11f});
  scaledAddTo(b.graph, x, y, 1.0f, b.prog);
  EXPECT_THAT(b.floatsOf(x), ElementsAre(1 + 0x1p-10f));
}

TEST(ScaledAdd, OfHalvesRoundsProductsIfTheScaleIsAHalf) {
  for (const bool asTensor : {false, true}) {
    Bench b;
    // 3 * 2050 = 6150 is a tie in half and becomes 6152.
    const Tensor x = b.halves({1}, {-6144}), y = b.halves({1}, {2050});
    if (asTensor)
      scaledAddTo(b.graph, x, y, b.floats({}, {3}), b.prog);
    else
      scaledAddTo(b.graph, x, y, 3.0f, b.prog);
    EXPECT_THAT(b.floatsOf(x), ElementsAre(8));
  }
}

TEST(ScaledAdd, OfHalvesRoundsOnceIfTheScaleIsNotAHalf) {
  for (const bool asTensor : {false, true}) {
    Bench b;
    // 3.0001 * 2048 = 6144.2048 is 6144 in half.
    const Tensor x = b.halves({1}, {-6144}), y = b.halves({1}, {2048});
    if (asTensor)
      scaledAddTo(b.graph, x, y, b.floats({}, {3.0001f}), b.prog);
    else
      scaledAddTo(b.graph, x, y, 3.0001f, b.prog);
    EXPECT_NEAR(b.floatsOf(x)[0], 0.2048f, 1e-3f);
  }
}

TEST(ScaledAdd, TheToleranceOptionDecidesWhatIsAHalf) {
  const auto sum = [](const OptionFlags &options) {
    Bench b;
    const Tensor x = b.halves({1}, {-6144}), y = b.halves({1}, {2048});
    scaledAddTo(b.graph, x, y, 3.0001f, b.prog, {}, options);
    return b.floatsOf(x)[0];
  };
  EXPECT_NEAR(sum({}), 0.2048f, 1e-3f);
  EXPECT_EQ(sum({{"scaleFloatToHalfTolerance", "0.001"}}), 0);
}

TEST(ScaledAdd, DecaysHalves) {
  Bench b;
  const Tensor x = b.halves({2}, {1, 2}), y = b.halves({2}, {10, 20});
  const auto speciality = ScaledAddSpecialisation::X_MINUS_AX_PLUS_BY;
  scaledAddTo(b.graph, x, 0.25f, y, 0.5f, b.prog, speciality);
  EXPECT_THAT(b.floatsOf(x), ElementsAre(5.75f, 11.5f));
  const Tensor f = b.floats({2}, {1, 2});
  EXPECT_THROW(scaledAddTo(b.graph, f, 0.25f, f, 0.5f, b.prog, speciality),
               poplibs_error);
}

TEST(ScaledAdd, RefusesWhatDoesNotFit) {
  Bench b;
  const Tensor x = b.floats({2}, {1, 2}), y = b.floats({1, 2}, {1, 2});
  const Tensor bools = b.variable(BOOL, {2});
  EXPECT_THROW(scaledAddTo(b.graph, x, y, 1.0f, b.prog), poplibs_error);
  EXPECT_THROW(
      scaledAddTo(b.graph, y.broadcast(2, 0), y.broadcast(2, 0), 1.0f, b.prog),
      poplibs_error);
  EXPECT_THROW(scaledAddTo(b.graph, bools, bools, 1.0f, b.prog), poplibs_error);
  EXPECT_THROW(scaledAddTo(b.graph, x, x, x, b.prog), poplibs_error);
  EXPECT_THROW(scaledAddTo(b.graph, x, x, 1.0f, b.prog, {}, {{"fast", "1"}}),
               invalid_option);
}
