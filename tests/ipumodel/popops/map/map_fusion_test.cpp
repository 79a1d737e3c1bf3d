// Which steps of an element-wise operation are replaced by one, as data.
#include "popops/map/map_fusion.hpp"

#include <array>
#include <cstring>
#include <gtest/gtest.h>

namespace ipumodel {

namespace {

using Args = std::array<std::uint32_t, kMaxArity>;

constexpr auto kGreater =
    static_cast<std::uint8_t>(popops::expr::BinaryOpType::GREATER_THAN);
constexpr auto kSelect =
    static_cast<std::uint8_t>(popops::expr::TernaryOpType::SELECT);

// Select(input 0, value `second`, input 2 > constant); value 3 is the constant.
MapProgram selection(float constant, std::uint32_t second = 1) {
  MapProgram program;
  program.numInputs = 3;
  program.constants = {{Lane::float32, 0}};
  std::memcpy(&program.constants[0].bits, &constant, sizeof constant);
  program.steps = {
      {MapOp::binary, kGreater, Lane::float32, Lane::boolean, {2, 3}},
      {MapOp::ternary, kSelect, Lane::float32, Lane::float32, {0, second, 4}}};
  program.outputs = {5};
  simplifyForZero(program);
  return program;
}

// (input 0 - input 1) * input 2, then the result of that step + input 0 if
// `isAdded`.
MapProgram scaledDifference(bool isAdded) {
  const auto step = [](popops::expr::BinaryOpType op, std::uint32_t a,
                       std::uint32_t b) {
    return MapProgram::Step{MapOp::binary,
                            static_cast<std::uint8_t>(op),
                            Lane::float32,
                            Lane::float32,
                            {a, b}};
  };
  MapProgram program;
  program.numInputs = 3;
  program.steps = {step(popops::expr::BinaryOpType::SUBTRACT, 0, 1),
                   step(popops::expr::BinaryOpType::MULTIPLY, 3, 2)};
  if (isAdded)
    program.steps.push_back(step(popops::expr::BinaryOpType::ADD, 4, 0));
  program.outputs = {isAdded ? 5u : 4u};
  fuseProducts(program, std::vector<bool>(6, false));
  return program;
}

} // namespace

TEST(MapFusion, ScalesADifferenceInOneStep) {
  const MapProgram::Step step = scaledDifference(false).steps[1];
  EXPECT_EQ(step.op, MapOp::fusedProduct);
  EXPECT_EQ(FusedProduct(step.code), FusedProduct::ofDifference);
  EXPECT_EQ(step.args, (Args{0, 1, 2}));
  const float a = 3.1f, b = 0.3f, c = 0.7f;
  const void *const in[] = {&a, &b, &c};
  float result = 0;
  findPrimitive(step.op, step.code, step.lane)(&result, in, 1);
  const volatile float difference = a - b; // rounded
  EXPECT_EQ(result, difference * c);
}

TEST(MapFusion, PrefersToAddAProduct) {
  const MapProgram::Step step = scaledDifference(true).steps[2];
  EXPECT_EQ(step.op, MapOp::fusedProduct);
  EXPECT_EQ(step.args, (Args{3, 2, 0}));
}

TEST(MapFusion, ChoosesByTheSignWithoutACondition) {
  const MapProgram::Step step = selection(0).steps[1];
  EXPECT_EQ(step.op, MapOp::choose);
  EXPECT_EQ(step.args, (Args{0, 1, 2}));
}

// Input 2 > 0 ? input 0 * 3 : input 1 * 5.
TEST(MapFusion, ChoosesBetweenTwoProductsInOneStep) {
  const auto multiply = [](std::uint32_t a, std::uint32_t b) {
    return MapProgram::Step{
        MapOp::binary,
        static_cast<std::uint8_t>(popops::expr::BinaryOpType::MULTIPLY),
        Lane::float32,
        Lane::float32,
        {a, b}};
  };
  const float factors[] = {3, 5};
  MapProgram program;
  program.numInputs = 3;
  for (const float factor : factors) {
    program.constants.push_back({Lane::float32, 0});
    std::memcpy(&program.constants.back().bits, &factor, sizeof factor);
  }
  program.steps = {multiply(0, 3),
                   multiply(1, 4),
                   {MapOp::choose, 0, Lane::float32, Lane::float32, {5, 6, 2}}};
  program.outputs = {7};
  fuseProducts(program, std::vector<bool>(8, false));
  const MapProgram::Step step = program.steps[2];
  EXPECT_EQ(step.op, MapOp::chooseProduct);
  EXPECT_EQ(step.args, (Args{0, 3, 1, 4, 2}));
  // More than a vector of any CPU, and a part of one.
  constexpr std::size_t kCount = 19;
  float in[5][kCount], out[kCount];
  for (std::size_t i = 0; i < kCount; ++i) {
    in[0][i] = 0.1f * float(i);
    in[2][i] = 0.7f * float(i);
    in[1][i] = factors[0];
    in[3][i] = factors[1];
    in[4][i] = float(i % 3) - 1;
  }
  const void *const arrays[] = {in[0], in[1], in[2], in[3], in[4]};
  findPrimitive(step.op, step.code, step.lane)(out, arrays, kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    EXPECT_EQ(out[i], i % 3 == 2 ? in[0][i] * 3 : in[2][i] * 5) << i;
}

TEST(MapFusion, MakesAGateOfAChoiceOfZero) {
  const MapProgram::Step step = selection(0, 3).steps[1];
  EXPECT_EQ(step.op, MapOp::gate);
  EXPECT_EQ(step.args[0], 0u);
  EXPECT_EQ(step.args[1], 2u);
}

TEST(MapFusion, KeepsAComparisonWithAnythingButZero) {
  EXPECT_EQ(selection(1).steps[1].op, MapOp::ternary);
  // -0.0f, whose bits are not those of zero.
  EXPECT_EQ(selection(-0.0f).steps[1].op, MapOp::ternary);
}

} // namespace ipumodel
