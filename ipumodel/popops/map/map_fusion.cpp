#include "popops/map/map_fusion.hpp"

namespace ipumodel {

namespace {

using popops::expr::BinaryOpType;

std::vector<unsigned> countUses(const MapProgram &program) {
  std::vector<unsigned> uses(program.firstStep() + program.steps.size());
  for (const MapProgram::Step &step : program.steps)
    for (unsigned i = 0; i < arityOf(step); ++i)
      ++uses[step.args[i]];
  for (const std::uint32_t output : program.outputs)
    ++uses[output];
  return uses;
}

} // namespace

void fuseProducts(MapProgram &program, const std::vector<bool> &isUniform) {
  const std::vector<unsigned> uses = countUses(program);
  const auto isOnlyFor = [&](std::uint32_t value, BinaryOpType op) {
    return value >= program.firstStep() && uses[value] == 1 &&
           !isUniform[value] &&
           isFloatOp(program.steps[value - program.firstStep()], op);
  };
  const auto isProduct = [&](std::uint32_t value) {
    return isOnlyFor(value, BinaryOpType::MULTIPLY);
  };
  const auto fuse = [&](MapProgram::Step &step, unsigned index,
                        FusedProduct form) {
    const MapProgram::Step &first =
        program.steps[step.args[index] - program.firstStep()];
    step = {MapOp::fusedProduct,
            static_cast<std::uint8_t>(form),
            Lane::float32,
            Lane::float32,
            {first.args[0], first.args[1], step.args[1 - index]}};
  };
  for (MapProgram::Step &step : program.steps) {
    if (isFloatOp(step, BinaryOpType::ADD)) {
      if (isProduct(step.args[1]))
        fuse(step, 1, FusedProduct::plus);
      else if (isProduct(step.args[0]))
        fuse(step, 0, FusedProduct::plus);
    } else if (isFloatOp(step, BinaryOpType::SUBTRACT)) {
      if (isProduct(step.args[1]))
        fuse(step, 1, FusedProduct::subtractedFrom);
      else if (isProduct(step.args[0]))
        fuse(step, 0, FusedProduct::minus);
    }
  }
  // Products that are still there.
  for (MapProgram::Step &step : program.steps)
    for (unsigned i = 0; isFloatOp(step, BinaryOpType::MULTIPLY) && i < 2; ++i)
      if (isOnlyFor(step.args[i], BinaryOpType::SUBTRACT))
        fuse(step, i, FusedProduct::ofDifference);
  for (MapProgram::Step &step : program.steps)
    if (step.op == MapOp::choose && isProduct(step.args[0]) &&
        isProduct(step.args[1])) {
      const auto factorsOf = [&](std::uint32_t product) {
        return program.steps[product - program.firstStep()].args;
      };
      const auto a = factorsOf(step.args[0]), b = factorsOf(step.args[1]);
      step.op = MapOp::chooseProduct;
      step.args = {a[0], a[1], b[0], b[1], step.args[2]};
    }
}

void simplifyForZero(MapProgram &program) {
  const auto isZero = [&](std::uint32_t value) {
    return value >= program.numInputs && value < program.firstStep() &&
           program.constants[value - program.numInputs].bits == 0;
  };
  const auto isPositive = [&](std::uint32_t value) {
    return value >= program.firstStep() &&
           isFloatOp(program.steps[value - program.firstStep()],
                     BinaryOpType::GREATER_THAN) &&
           isZero(program.steps[value - program.firstStep()].args[1]);
  };
  for (MapProgram::Step &step : program.steps) {
    // Not for max(0, x): where x is -0, its result is -0.
    if (isFloatOp(step, BinaryOpType::MAXIMUM) && isZero(step.args[1]))
      step = {MapOp::unary,
              static_cast<std::uint8_t>(popops::expr::UnaryOpType::RELU),
              Lane::float32,
              Lane::float32,
              {step.args[0]}};
    else if (step.op == MapOp::ternary && step.lane == Lane::float32 &&
             popops::expr::TernaryOpType(step.code) ==
                 popops::expr::TernaryOpType::SELECT &&
             isPositive(step.args[2])) {
      const std::uint32_t condition =
          program.steps[step.args[2] - program.firstStep()].args[0];
      const bool isGate = isZero(step.args[1]);
      step = {isGate ? MapOp::gate : MapOp::choose,
              0,
              Lane::float32,
              Lane::float32,
              {step.args[0], isGate ? condition : step.args[1], condition}};
    }
  }
}

} // namespace ipumodel
