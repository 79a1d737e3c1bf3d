#include "popops/map/scaled_sum.hpp"

#include "poplar/view/layout.hpp"
#include "popops/map/map_interpreter.hpp"
#include "popops/map/map_operator.hpp"

#include <algorithm>
#include <cstring>

namespace ipumodel {

namespace {

using popops::expr::BinaryOpType;

TensorData oneElement(const TensorData &repeated) {
  TensorData element = repeated;
  element.view = repeated.view.flatten().slice(0, 0, 1);
  return element;
}

bool holdsFloats(const TensorPtr &tensor) {
  return tensor->type == poplar::FLOAT;
}

} // namespace

std::optional<ScaledSum> asScaledSum(const ProgramNode &native,
                                     const PlanBuilder &builder) {
  const NativeOp &map = *native.op;
  const auto *what = operatorAs<MapOperator>(map);
  if (!what)
    return std::nullopt;
  const MapProgram &program = what->program;
  if (program.steps.size() != 2 || program.outputs.size() != 1 ||
      program.outputs[0] != program.firstStep() + 1 ||
      !holdsFloats(map.outputs[0]) || map.outputs[0]->view.numElements() == 0 ||
      !std::all_of(map.inputs.begin(), map.inputs.end(), holdsFloats))
    return std::nullopt;
  const MapProgram::Step &product = program.steps[0];
  const MapProgram::Step &sum = program.steps[1];
  const bool isDifference = isFloatOp(sum, BinaryOpType::SUBTRACT);
  if (!isFloatOp(product, BinaryOpType::MULTIPLY) ||
      (!isDifference && !isFloatOp(sum, BinaryOpType::ADD)))
    return std::nullopt;
  const bool productIsLast = sum.args[1] == program.firstStep();
  const std::uint32_t summed = sum.args[productIsLast ? 0 : 1];
  if ((isDifference && !productIsLast) || summed >= program.numInputs ||
      !(map.inputs[summed]->view == map.outputs[0]->view))
    return std::nullopt;

  const auto isConstant = [&](std::uint32_t value) {
    return value >= program.numInputs && value < program.firstStep();
  };
  std::vector<bool> isUniform;
  for (const TensorPtr &input : map.inputs)
    isUniform.push_back(repeatsOneElement(input->view));
  const auto isScale = [&](std::uint32_t value) {
    return isConstant(value) || (value < program.numInputs && isUniform[value]);
  };
  auto [scale, term] = std::pair(product.args[0], product.args[1]);
  if (!isScale(scale))
    std::swap(scale, term);
  if (!isScale(scale) || term >= program.numInputs)
    return std::nullopt;
  ScaledSum result{
      *map.outputs[0], *map.inputs[term], isDifference ? -1.0f : 1.0f,
      std::nullopt,
      MapInterpreter(map, program, isUniform, true)
          .profile(native.name, map.outputs[0]->view.numElements(), builder)};
  if (isConstant(scale)) {
    float constant;
    std::memcpy(&constant, &program.constants[scale - program.numInputs].bits,
                sizeof(constant));
    result.factor *= constant;
  } else {
    result.scale = oneElement(*map.inputs[scale]);
  }
  return result;
}

} // namespace ipumodel
