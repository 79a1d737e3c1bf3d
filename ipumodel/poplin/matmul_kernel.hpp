// The native operation of matrix products.
#pragma once

#include "poplar/plan/native_kernel.hpp"

namespace ipumodel {

// C [g,m,n] <- A [g,m,k], B [g,k,n], [scale tensor], [C].
struct MatrixProduct {
  static constexpr const char *kName = "poplin.matMul";
  float scale;
  bool hasScaleTensor;
  bool accumulate; // the product is added to C

  template <class Io> void fields(Io &io) {
    io(scale, hasScaleTensor, accumulate);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  JoinedPtr join(const ProgramNode &own, const ProgramNode &next,
                 const PlanBuilder &builder) const;
};

} // namespace ipumodel
