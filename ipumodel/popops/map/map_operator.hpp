// The native operation of element-wise expressions.
#pragma once

#include "poplar/plan/native_kernel.hpp"
#include "popops/map/map_program.hpp"

namespace ipumodel {

template <class Io> void transfer(Io &io, MapProgram::Constant &constant) {
  io.choice(constant.lane, Lane::uint64);
  io(constant.bits);
}

template <class Io> void transfer(Io &io, MapProgram::Step &step) {
  io.choice(step.op, MapOp::choose);
  io(step.code);
  io.choice(step.lane, Lane::uint64);
  io.choice(step.result, Lane::uint64);
  for (unsigned i = 0; i < arityOf(step); ++i)
    io(step.args[i]);
}

// Evaluates the program in one pass over its tensors.
struct MapOperator {
  static constexpr const char *kName = "popops.map";
  MapProgram program;

  template <class Io> void fields(Io &io) {
    io(program.numInputs, program.constants, program.steps, program.outputs);
    if constexpr (Io::kReading)
      checkReferences(program);
  }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  // PopLibs has a codelet for each single operation, and generates one for an
  // expression: "popops::map::MULTIPLY_ADD_float".
  std::string vertexType(const NativeOp &op) const;
  std::string computeSetName(const NativeOp &op) const;
};

} // namespace ipumodel
