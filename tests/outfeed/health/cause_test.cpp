#include "outfeed/health/cause.hpp"

#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

using graph::Computation;

TensorTraits made(Computation computation, const char *dtype = "float",
                  std::size_t terms = 1) {
  TensorTraits tensor;
  tensor.name = "t";
  tensor.dtype = dtype;
  tensor.derivation = {computation, {"a", "b"}, terms};
  return tensor;
}

TensorHealth with(std::uint64_t nan, std::uint64_t posInf,
                  std::uint64_t negInf = 0) {
  TensorHealth health;
  health.count = 10;
  health.nan = nan;
  health.posInf = posInf;
  health.negInf = negInf;
  return health;
}

KnownInput input(double absMax) {
  TensorHealth health;
  health.count = 10;
  health.absMax = absMax;
  return {"a", health, false};
}

TEST(Cause, IsOverflowIfTheProductCanReachTheLimitOfTheFormat) {
  const std::vector<KnownInput> inputs = {input(100.0), input(70.0)};
  // 10 * 100 * 70 = 70,000
  EXPECT_EQ(
      causeOf(made(Computation::product, "half", 10), with(0, 1), inputs).text,
      "overflow of half (65504)");
  EXPECT_EQ(
      causeOf(made(Computation::product, "half", 9), with(0, 1), inputs).kind,
      CauseKind::unknown); // 63,000
  EXPECT_EQ(
      causeOf(made(Computation::product, "float", 10), with(0, 1), inputs).kind,
      CauseKind::unknown);
}

TEST(Cause, SaysThatInfinitiesOfBothSignsMadeNan) {
  EXPECT_EQ(causeOf(made(Computation::product, "half", 10), with(3, 1),
                    {input(1e3), input(1e3)})
                .text,
            "overflow of half (65504), then inf - inf");
}

TEST(Cause, IsOverflowIfTheSquareOfAGradientIsTooLarge) {
  EXPECT_EQ(causeOf(made(Computation::optimizer), with(0, 2),
                    {input(1.0), input(1e20)})
                .kind,
            CauseKind::overflow);
  EXPECT_EQ(causeOf(made(Computation::optimizer), with(0, 2),
                    {input(1.0), input(1e10)})
                .kind,
            CauseKind::unknown);
}

TEST(Cause, OfAQuotientOfFiniteNumbersIsAZero) {
  const std::vector<KnownInput> inputs = {input(1.0), input(1.0)};
  EXPECT_EQ(causeOf(made(Computation::quotient), with(1, 0), inputs).kind,
            CauseKind::zeroByZero);
  EXPECT_EQ(causeOf(made(Computation::quotient), with(0, 1), inputs).kind,
            CauseKind::divisionByZero);
}

TEST(Cause, OfALogarithmIsZeroOrANegativeNumber) {
  EXPECT_EQ(
      causeOf(made(Computation::logarithm), with(0, 0, 1), {input(1.0)}).kind,
      CauseKind::logOfZero);
  EXPECT_EQ(
      causeOf(made(Computation::logarithm), with(1, 0), {input(1.0)}).kind,
      CauseKind::logOfNegative);
  EXPECT_EQ(
      causeOf(made(Computation::crossEntropy), with(0, 1), {input(1.0)}).kind,
      CauseKind::logOfZero);
}

TEST(Cause, OfNanMadeOfInfinitiesIsTheirDifferenceOrAProductWithZero) {
  KnownInput infinite = input(1.0);
  infinite.health->posInf = 1;
  EXPECT_EQ(causeOf(made(Computation::sum), with(1, 0), {infinite}).kind,
            CauseKind::infMinusInf);
  EXPECT_EQ(causeOf(made(Computation::product), with(1, 0), {infinite}).kind,
            CauseKind::infTimesZero);
  EXPECT_EQ(causeOf(made(Computation::sum), with(0, 1), {infinite}).kind,
            CauseKind::passedOn);
}

TEST(Cause, IsNotToldIfTheInputsAreNotKnown) {
  EXPECT_EQ(causeOf(made(Computation::product, "half", 1000), with(1, 0),
                    {{"a", std::nullopt, false}, {"b", std::nullopt, false}})
                .text,
            "cannot tell why");
  EXPECT_EQ(causeOf(made(Computation::unknown), with(1, 0), {}).kind,
            CauseKind::unknown);
}

} // namespace
} // namespace popscope::outfeed
