#include "popops/map_program.hpp"

#include "poplar/native_kernel.hpp"
#include "popops/op_names.hpp"

#include <poplar/exceptions.hpp>

#include <cstring>

namespace popops {

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
    return 3;
  }
  return 0;
}

ipumodel::Bytes store(const MapProgram &program) {
  ipumodel::ParameterWriter writer;
  writer.put(program.numInputs);
  writer.put(std::uint32_t(program.constants.size()));
  for (const MapProgram::Constant &constant : program.constants)
    writer.put(constant.lane).put(constant.bits);
  writer.put(std::uint32_t(program.steps.size()));
  for (const MapProgram::Step &step : program.steps) {
    writer.put(step.op).put(step.code).put(step.lane).put(step.result);
    for (unsigned i = 0; i < arityOf(step); ++i)
      writer.put(step.args[i]);
  }
  writer.put(program.outputs);
  return writer.take();
}

MapProgram loadMapProgram(const ipumodel::Bytes &bytes) {
  ipumodel::ParameterReader reader(bytes);
  const auto check = [](bool good) {
    if (!good)
      throw poplar::poplar_error("bad executable file: an element-wise "
                                 "operation has an invalid reference");
  };
  const auto getLane = [&] {
    const auto lane = reader.get<Lane>();
    check(static_cast<std::size_t>(lane) < kNumLanes);
    return lane;
  };
  MapProgram program;
  program.numInputs = reader.get<std::uint32_t>();
  for (auto n = reader.get<std::uint32_t>(); n != 0; --n) {
    const Lane lane = getLane();
    program.constants.push_back({lane, reader.get<std::uint64_t>()});
  }
  for (auto n = reader.get<std::uint32_t>(); n != 0; --n) {
    MapProgram::Step step{};
    step.op = reader.get<MapOp>();
    step.code = reader.get<std::uint8_t>();
    step.lane = getLane();
    step.result = getLane();
    const std::size_t known = program.firstStep() + program.steps.size();
    for (unsigned i = 0; i < arityOf(step); ++i) {
      step.args[i] = reader.get<std::uint32_t>();
      check(step.args[i] < known);
    }
    check(findPrimitive(step.op, step.code, step.lane) != nullptr);
    program.steps.push_back(step);
  }
  program.outputs = reader.getVector<std::uint32_t>();
  for (const std::uint32_t output : program.outputs)
    check(output < program.firstStep() + program.steps.size());
  return program;
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
    return popops::nameOf(expr::UnaryOpType(step.code));
  case MapOp::binary:
    return popops::nameOf(expr::BinaryOpType(step.code));
  case MapOp::ternary:
    return popops::nameOf(expr::TernaryOpType(step.code));
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

} // namespace popops
