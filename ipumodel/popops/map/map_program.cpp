#include "popops/map/map_program.hpp"

#include "popops/expr/op_names.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>

namespace ipumodel {

unsigned arityOf(const MapProgram::Step &step) {
  switch (step.op) {
  case MapOp::unary:
  case MapOp::convert:
  case MapOp::roundHalf:
    return 1;
  case MapOp::binary:
  case MapOp::snapHalf:
  case MapOp::gate:
    return 2;
  case MapOp::ternary:
  case MapOp::fusedProduct:
  case MapOp::choose:
    return 3;
  case MapOp::chooseProduct:
    return 5;
  }
  return 0;
}

bool isFloatOp(const MapProgram::Step &step, popops::expr::BinaryOpType op) {
  return step.op == MapOp::binary && step.lane == Lane::float32 &&
         popops::expr::BinaryOpType(step.code) == op;
}

void checkReferences(const MapProgram &program) {
  const auto check = [](bool good) {
    if (!good)
      throw poplar::poplar_error("bad executable file: an element-wise "
                                 "operation has an invalid reference");
  };
  std::size_t known = program.firstStep();
  for (const MapProgram::Step &step : program.steps) {
    for (unsigned i = 0; i < arityOf(step); ++i)
      check(step.args[i] < known);
    check(findPrimitive(step.op, step.code, step.lane) != nullptr);
    ++known;
  }
  for (const std::uint32_t output : program.outputs)
    check(output < known);
}

namespace {

const char *nameOf(Lane lane) {
  constexpr const char *names[] = {"float", "bool",   "int8",  "uint8",
                                   "int16", "uint16", "int32", "uint32",
                                   "int64", "uint64"};
  return names[static_cast<std::size_t>(lane)];
}

std::string nameOf(const MapProgram::Step &step) {
  switch (step.op) {
  case MapOp::unary:
    return ipumodel::nameOf(popops::expr::UnaryOpType(step.code));
  case MapOp::binary:
    return ipumodel::nameOf(popops::expr::BinaryOpType(step.code));
  case MapOp::ternary:
    return ipumodel::nameOf(popops::expr::TernaryOpType(step.code));
  case MapOp::convert:
    return "CONVERT";
  case MapOp::roundHalf:
    return "ROUND_TO_HALF";
  case MapOp::snapHalf:
    return "SNAP_TO_HALF";
  case MapOp::fusedProduct:
    return "FUSED_PRODUCT";
  case MapOp::gate:
    return "GATE";
  case MapOp::choose:
    return "CHOOSE";
  case MapOp::chooseProduct:
    return "CHOOSE_PRODUCT";
  }
  return {};
}

std::string valueOf(const MapProgram::Constant &constant) {
  if (constant.lane == Lane::float32) {
    float value;
    std::memcpy(&value, &constant.bits, sizeof value);
    return std::to_string(value);
  }
  return std::to_string(static_cast<std::int64_t>(constant.bits));
}

} // namespace

std::ostream &operator<<(std::ostream &os, const MapProgram &program) {
  for (std::uint32_t i = 0; i < program.numInputs; ++i)
    os << 'v' << i << " = _" << i + 1 << '\n';
  std::uint32_t value = program.numInputs;
  for (const MapProgram::Constant &constant : program.constants)
    os << 'v' << value++ << " = " << nameOf(constant.lane) << ' '
       << valueOf(constant) << '\n';
  for (const MapProgram::Step &step : program.steps) {
    os << 'v' << value++ << " = " << nameOf(step.result) << ' ' << nameOf(step);
    for (unsigned i = 0; i < arityOf(step); ++i)
      os << (i == 0 ? "(v" : ", v") << step.args[i];
    os << ")\n";
  }
  for (const std::uint32_t output : program.outputs)
    os << "return v" << output << '\n';
  return os;
}

} // namespace ipumodel
