// The native operations of convolutions.
#pragma once

#include "poplar/plan/native_kernel.hpp"
#include "poplin/conv/conv_params_io.hpp"

#include <poplar/Target.hpp>
#include <poputil/VertexTemplates.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ipumodel {

class ConvGeometry;

// The compute set that PopLibs has for a convolution: "Conv_3x3/Convolve".
inline std::string convolveName(const std::vector<std::size_t> &kernelShape) {
  std::string name = "Conv";
  for (const std::size_t size : kernelShape)
    name += (name == "Conv" ? "_" : "x") + std::to_string(size);
  return name + "/Convolve";
}

// out <- in, weights.
struct Convolution {
  static constexpr const char *kName = "poplin.convolution";
  poplin::ConvParams params;
  bool transposeAndFlip; // the weights

  template <class Io> void fields(Io &io) { io(params, transposeAndFlip); }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex(
        product(params.kernelShape) == 1 ? "poplin::ConvPartial1x1Out"
                                         : "poplin::ConvPartialnx1",
        op.inputs.at(0)->type, op.outputs.at(0)->type);
  }
  std::string computeSetName(const NativeOp &) const {
    return convolveName(params.kernelShape);
  }
};

// gradient <- zDeltas, activations, [scale tensor], [gradient].
struct WeightDeltas {
  static constexpr const char *kName = "poplin.weightDeltas";
  poplin::ConvParams params; // of the forward pass
  float scale;
  bool hasScaleTensor;
  bool accumulate; // the sum is added to the present gradient

  template <class Io> void fields(Io &io) {
    io(params, scale, hasScaleTensor, accumulate);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("poplin::ConvPartial1x1Out",
                                   op.inputs.at(0)->type,
                                   op.outputs.at(0)->type);
  }
  std::string computeSetName(const NativeOp &) const {
    return convolveName(params.kernelShape);
  }
};

// Estimated cycles of one execution with all tiles of an IPU busy.
std::uint64_t convCycles(const poplar::Target &target,
                         const ConvGeometry &geometry);

} // namespace ipumodel
