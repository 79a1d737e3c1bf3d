// Each operator compared with PyTorch, and operators that PyTorch lacks or
// defines differently.
#include "operators.hpp"
#include "tests/support/reference_file.hpp"

#include <popops/ElementWise.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

using namespace poplar;
using namespace popops::expr;
using operators::Bench;
using poputil::poplibs_error;
using testing::Each;
using testing::ElementsAre;
using testing::IsNan;
using testsupport::ReferenceArray;
using testsupport::ReferenceCase;

namespace {

std::vector<ReferenceCase> references() {
  return testsupport::ReferenceReader(std::string(REFERENCE_DIR) +
                                      "/element_wise.ref.gz")
      .cases();
}

// Names are those of the enumerators.
template <class Op> Op opNamed(const std::string &name, Op last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (poputil::toProfileValue(static_cast<Op>(i)).asString() == name)
      return static_cast<Op>(i);
  throw std::runtime_error("no operator " + name);
}

Tensor inputOf(Bench &b, const ReferenceArray &array) {
  if (!array.halves.empty())
    return b.tensor(UNSIGNED_SHORT, array.shape, array.halves)
        .reinterpret(HALF);
  if (!array.ints.empty())
    return b.tensor(INT, array.shape, array.ints);
  return b.floats(array.shape, array.floats);
}

// Both sides compute floats to a few units in the last place, PyTorch to one;
// halves are computed as floats, so they differ by at most one. Sines and
// tangents near their zeros have an absolute error, and so has PyTorch's GELU
// of negative numbers.
struct Tolerance {
  double relative = 8 * 0x1p-24;
  double absolute = 0x1p-149;
};

Tolerance toleranceOf(const std::string &op) {
  if (op == "SIN" || op == "COS" || op == "TAN")
    return {16 * 0x1p-24, 2e-7};
  if (op == "GELU_ERF")
    return {16 * 0x1p-24, 1e-6};
  return {};
}

bool isClose(double value, double expected, const Tolerance &tolerance) {
  if (std::isnan(expected) || std::isinf(expected))
    return std::isnan(expected) ? std::isnan(value) : value == expected;
  return std::fabs(value - expected) <=
         tolerance.absolute + tolerance.relative * std::fabs(expected);
}

void expectLike(Bench &b, const Tensor &result, const ReferenceCase &item) {
  const ReferenceArray &expected = item.array("y");
  const std::string &op = item.text("op");
  EXPECT_EQ(result.shape(), expected.shape) << op;
  if (!expected.ints.empty()) {
    if (result.elementType() == BOOL) {
      const auto values = b.result<std::uint8_t>(result);
      for (std::size_t i = 0; i < values.size(); ++i)
        ASSERT_EQ(values[i], expected.ints[i]) << op << " " << i;
    } else {
      ASSERT_EQ(b.result<int>(result), expected.ints) << op;
    }
    return;
  }
  const bool isHalf = !expected.halves.empty();
  Tolerance tolerance = toleranceOf(op);
  if (isHalf)
    tolerance = {0x1p-10, 0x1p-24};
  const std::vector<float> values = b.floatsOf(result);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float want = isHalf ? operators::halfToFloat(expected.halves[i])
                              : expected.floats[i];
    ASSERT_TRUE(isClose(values[i], want, tolerance))
        << op << (isHalf ? " of halves, element " : " of floats, element ") << i
        << ": " << values[i] << " instead of " << want;
  }
}

} // namespace

TEST(Operators, AgreeWithPyTorch) {
  for (const ReferenceCase &item : references()) {
    Bench b;
    const std::string &kind = item.text("kind"), &op = item.text("op");
    std::vector<Tensor> operands;
    for (const char *name : {"x", "a", "b", "c"})
      if (item.arrays.count(name))
        operands.push_back(inputOf(b, item.array(name)));
    Tensor result;
    if (kind == "unary")
      result = popops::map(b.graph, opNamed(op, UnaryOpType::TRUNC),
                           operands[0], b.prog);
    else if (kind == "clamp")
      result =
          popops::clamp(b.graph, operands[0], operands[1], operands[2], b.prog);
    else if (kind == "fused")
      result = popops::map(b.graph, _1 - 0.01f * _2 / (Sqrt(_3) + 1e-3f),
                           operands, b.prog);
    else
      result = popops::map(b.graph,
                           opNamed(op, BinaryOpType::VARIANCE_TO_INV_STD_DEV),
                           operands[0], operands[1], b.prog);
    expectLike(b, result, item);
  }
}

TEST(Operators, RoundHasTiesAwayFromZero) {
  Bench b;
  const Tensor x = b.floats(
      {8}, {0.5f, -0.5f, 1.5f, 2.5f, -2.5f, 0.49999997f, 8388609.0f, NAN});
  EXPECT_THAT(b.floatsOf(popops::round(b.graph, x, b.prog)),
              ElementsAre(1, -1, 2, 3, -3, 0, 8388609.0f, IsNan()));
}

TEST(Operators, SignumAndReluOfNaNAreZeroUnlikePyTorch) {
  Bench b;
  const Tensor x = b.floats({4}, {NAN, -2, 0, 3});
  const Tensor sign = popops::signum(b.graph, x, b.prog);
  const Tensor relu = popops::map(b.graph, UnaryOpType::RELU, x, b.prog);
  const std::string first = b.watch(sign), second = b.watch(relu);
  b.run();
  EXPECT_THAT(b.read<float>(first, 4), ElementsAre(0, -1, 0, 1));
  EXPECT_THAT(b.read<float>(second, 4), ElementsAre(0, 0, 0, 3));
}

TEST(Operators, MaxAndMinPreferNumbersToNaN) {
  Bench b;
  const Tensor x = b.floats({3}, {NAN, 1, NAN}),
               y = b.floats({3}, {2, NAN, NAN});
  EXPECT_THAT(b.floatsOf(popops::max(b.graph, x, y, b.prog)),
              ElementsAre(2, 1, IsNan()));
}

TEST(Operators, ClampKeepsNaN) {
  Bench b;
  const Tensor x = b.floats({3}, {NAN, -5, 5});
  EXPECT_THAT(b.floatsOf(popops::map(b.graph, Clamp(_1, Const(-1), Const(1)),
                                     {x}, b.prog)),
              ElementsAre(IsNan(), -1, 1));
}

TEST(Operators, CubeRoots) {
  Bench b;
  const Tensor x = b.floats({3}, {27, -8, 0});
  EXPECT_THAT(b.floatsOf(popops::cbrt(b.graph, x, b.prog)),
              ElementsAre(3, -2, 0));
}

TEST(Operators, ShiftRightIsLogicalAlsoForInt) {
  Bench b;
  const Tensor x = b.ints({3}, {-16, 16, -1}), n = b.ints({3}, {2, 2, 32});
  const Tensor logical = popops::shiftRight(b.graph, x, n, b.prog);
  const Tensor arithmetic = popops::shiftRightSignExtend(b.graph, x, n, b.prog);
  const Tensor left = popops::shiftLeft(b.graph, x, n, b.prog);
  const std::string first = b.watch(logical), second = b.watch(arithmetic),
                    third = b.watch(left);
  b.run();
  EXPECT_THAT(b.read<int>(first, 3), ElementsAre(0x3ffffffc, 4, 0));
  EXPECT_THAT(b.read<int>(second, 3), ElementsAre(-4, 4, -1));
  EXPECT_THAT(b.read<int>(third, 3), ElementsAre(-64, 64, 0));
}

TEST(Operators, IntegersWrapAndDivideByZeroWithoutHarm) {
  constexpr int kMin = std::numeric_limits<int>::min();
  Bench b;
  const Tensor x = b.ints({4}, {kMin, kMin, 7, -7}),
               y = b.ints({4}, {-1, 0, 0, 2});
  const Tensor quotient = popops::div(b.graph, x, y, b.prog);
  const Tensor rest = popops::rem(b.graph, x, y, b.prog);
  const Tensor magnitude = popops::abs(b.graph, x, b.prog);
  const std::string first = b.watch(quotient), second = b.watch(rest),
                    third = b.watch(magnitude);
  b.run();
  EXPECT_THAT(b.read<int>(first, 4), ElementsAre(kMin, 0, 0, -3));
  EXPECT_THAT(b.read<int>(second, 4), ElementsAre(0, 0, 0, -1));
  EXPECT_THAT(b.read<int>(third, 4), ElementsAre(kMin, kMin, 7, 7));
}

TEST(Operators, PowersOfIntegersWithNegativeExponentsAreZero) {
  Bench b;
  const Tensor x = b.ints({4}, {3, -2, 2, 5}), y = b.ints({4}, {4, 3, -1, 0});
  EXPECT_THAT(b.result<int>(popops::pow(b.graph, x, y, b.prog)),
              ElementsAre(81, -8, 0, 1));
}

TEST(Operators, CountBits) {
  Bench b;
  const Tensor x = b.ints({3}, {0, 1, -1});
  const Tensor zeros = popops::countLeadingZeros(b.graph, x, b.prog);
  const Tensor ones = popops::popcount(b.graph, x, b.prog);
  const Tensor inverse = popops::bitwiseNot(b.graph, x, b.prog);
  const Tensor same = popops::bitwiseXnor(b.graph, x, x, b.prog);
  const std::string first = b.watch(zeros), second = b.watch(ones),
                    third = b.watch(inverse), fourth = b.watch(same);
  b.run();
  EXPECT_THAT(b.read<int>(first, 3), ElementsAre(32, 31, 0));
  EXPECT_THAT(b.read<int>(second, 3), ElementsAre(0, 1, 32));
  EXPECT_THAT(b.read<int>(third, 3), ElementsAre(-1, -2, 0));
  EXPECT_THAT(b.read<int>(fourth, 3), Each(-1));
}

TEST(Operators, OfBools) {
  Bench b;
  const Tensor x = b.tensor<unsigned char>(BOOL, {4}, {0, 0, 1, 1}),
               y = b.tensor<unsigned char>(BOOL, {4}, {0, 1, 0, 1});
  const Tensor result =
      popops::map(b.graph, (_1 && !_2) || (_1 == _2), {x, y}, b.prog);
  popops::eqInPlace(b.graph, x, y, b.prog);
  const std::string first = b.watch(result), second = b.watch(x);
  b.run();
  EXPECT_THAT(b.read<std::uint8_t>(first, 4), ElementsAre(1, 0, 1, 1));
  EXPECT_THAT(b.read<std::uint8_t>(second, 4), ElementsAre(1, 0, 0, 1));
}

TEST(Operators, SelectTakesTheFirstWhereTrue) {
  Bench b;
  const Tensor x = b.floats({2, 1}, {1, 2}), y = b.floats({}, {9});
  const Tensor c = b.tensor<unsigned char>(BOOL, {3}, {1, 0, 1});
  const Tensor result = popops::select(b.graph, x, y, c, b.prog);
  EXPECT_EQ(result.shape(), operators::Shape({2, 3}));
  EXPECT_THAT(b.floatsOf(result), ElementsAre(1, 9, 1, 2, 9, 2));
}

TEST(Operators, VarianceAndInverseStandardDeviation) {
  Bench b;
  const Tensor variance = b.floats({2}, {0.25f, 3.99f});
  const Tensor epsilon = b.floats({}, {0.01f});
  const Tensor inverse =
      popops::varianceToInvStdDev(b.graph, variance, epsilon, b.prog, FLOAT);
  const Tensor back =
      popops::invStdDevToVariance(b.graph, inverse, 0.01f, b.prog, FLOAT);
  const Tensor half =
      popops::varianceToInvStdDev(b.graph, variance, 0.01f, b.prog, HALF);
  EXPECT_EQ(half.elementType(), HALF);
  const std::string first = b.watch(inverse), second = b.watch(back);
  b.run();
  EXPECT_NEAR(b.read<float>(first, 2)[0], 1 / std::sqrt(0.26f), 1e-6);
  EXPECT_NEAR(b.read<float>(first, 2)[1], 0.5f, 1e-6);
  EXPECT_NEAR(b.read<float>(second, 2)[1], 3.99f, 1e-5);
  EXPECT_THROW(
      popops::varianceToInvStdDev(b.graph, variance, variance, b.prog, HALF),
      poplibs_error);
  EXPECT_THROW(
      popops::invStdDevToVariance(b.graph, inverse, 0.01f, b.prog, HALF),
      poplibs_error);
}

TEST(Operators, ConstantsAreStrictUnlikeThoseInExpressions) {
  Bench b;
  const Tensor f = b.floats({1}, {1}), i = b.ints({1}, {1}),
               h = b.halves({1}, {1});
  EXPECT_THROW(popops::add(b.graph, f, 1, b.prog), std::runtime_error);
  EXPECT_THROW(popops::addInPlace(b.graph, i, 1.0f, b.prog),
               std::runtime_error);
  EXPECT_THROW(popops::mul(b.graph, 1u, i, b.prog), std::runtime_error);
  EXPECT_NO_THROW(popops::add(b.graph, f, 1.0, b.prog));
  EXPECT_NO_THROW(popops::add(b.graph, 1.0f, h, b.prog));
  EXPECT_NO_THROW(popops::add(b.graph, i, 1, b.prog));
}

TEST(Operators, AreNotDefinedForAllTypes) {
  Bench b;
  const Tensor u = b.variable(UNSIGNED_INT, {1}), i = b.ints({1}, {1}),
               f = b.floats({1}, {1}), c = b.variable(BOOL, {1});
  EXPECT_THROW(popops::neg(b.graph, u, b.prog), poplibs_error);
  EXPECT_THROW(popops::clamp(b.graph, u, u, u, b.prog), poplibs_error);
  EXPECT_THROW(popops::exp(b.graph, i, b.prog), poplibs_error);
  EXPECT_THROW(popops::logicalAnd(b.graph, f, f, b.prog), poplibs_error);
  EXPECT_THROW(popops::add(b.graph, c, c, b.prog), poplibs_error);
  EXPECT_THROW(popops::shiftLeft(b.graph, f, f, b.prog), poplibs_error);
}
