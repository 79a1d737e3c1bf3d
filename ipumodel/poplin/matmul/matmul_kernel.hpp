// The native operation of matrix products.
#pragma once

#include "poplar/plan/batch_stage.hpp"

#include <poputil/VertexTemplates.hpp>

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
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  JoinedPtr join(const ProgramNode &own, const ProgramNode &next,
                 const PlanBuilder &builder) const;
  std::string computeSetName(const NativeOp &) const {
    return "Conv_1/Convolve"; // PopLibs multiplies by a convolution
  }
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("poplin::ConvPartial1x1Out",
                                   op.inputs.at(0)->type,
                                   op.outputs.at(0)->type);
  }
};

} // namespace ipumodel
