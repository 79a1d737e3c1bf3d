// The native operations of pooling.
#pragma once

#include "poplar/plan/native_kernel.hpp"
#include "poplar/values/type_info.hpp"

#include <popnn/Pooling.hpp>
#include <poputil/VertexTemplates.hpp>

namespace ipumodel {

template <class Io> void transfer(Io &io, popnn::pooling::PoolParams &params) {
  io.choice(params.poolingType, popnn::PoolingType::SUM);
  io(params.inputFieldShape, params.kernelShape, params.stride,
     params.inputTruncationOrPaddingLower, params.inputTruncationOrPaddingUpper,
     params.numChannels, params.batchSize, params.dType);
}

// out <- in.
struct Pool {
  static constexpr const char *kName = "popnn.pool";
  popnn::pooling::PoolParams params;

  template <class Io> void fields(Io &io) { io(params); }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex(params.poolingType == popnn::PoolingType::MAX
                                       ? "popnn::MaxPooling"
                                       : "popnn::SumPooling",
                                   op.inputs.at(0)->type);
  }
};

// gradient of in <- gradient of out, [in, out].
struct PoolGradient {
  static constexpr const char *kName = "popnn.poolInputGradient";
  popnn::pooling::PoolParams params;
  bool shareTies; // tied maxima share the gradient

  template <class Io> void fields(Io &io) { io(params, shareTies); }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
  // Where the maxima are, which the pooling may save.
  std::size_t workspaceFrom(const NativeOp &maker, const NativeOp &own) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex(params.poolingType == popnn::PoolingType::MAX
                                       ? "popnn::MaxPoolingGrad"
                                       : "popnn::SumPooling",
                                   op.outputs.at(0)->type);
  }
};

template <> struct Blank<popnn::pooling::PoolParams> {
  static popnn::pooling::PoolParams make() {
    return {popnn::PoolingType::MAX, {}, {}, {}, {}, {}, 0, 0, poplar::Type()};
  }
};
template <> struct Blank<Pool> {
  static Pool make() { return {Blank<popnn::pooling::PoolParams>::make()}; }
};
template <> struct Blank<PoolGradient> {
  static PoolGradient make() {
    return {Blank<popnn::pooling::PoolParams>::make(), false};
  }
};

} // namespace ipumodel
