// The native operation of reductions.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <popops/OperationDef.hpp>

#include <vector>

namespace ipumodel {

// out <- in, [scale], [out].
struct Reduction {
  static constexpr const char *kName = "popops.reduce";
  popops::Operation operation;
  std::vector<std::size_t> dims; // reduced
  bool hasScale;
  bool update; // the result is added to `out`

  template <class Io> void fields(Io &io) {
    io.choice(operation, popops::Operation::LOG_ADD);
    io(dims, hasScale, update);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  std::string vertexType(const NativeOp &op) const;
};

} // namespace ipumodel
