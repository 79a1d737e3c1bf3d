// The native operations of losses and accuracy.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <popnn/Loss.hpp>
#include <poputil/VertexTemplates.hpp>

namespace ipumodel {

// loss, deltas <- outputs, expected, [deltasScale, modelOutputScaling].
struct Loss {
  static constexpr const char *kName = "popnn.calcLoss";
  popnn::LossType type;

  template <class Io> void fields(Io &io) {
    io.choice(type, popnn::LossType::CROSS_ENTROPY_LOSS);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex(type == popnn::LossType::CROSS_ENTROPY_LOSS
                                       ? "popnn::LossCrossEntropyTransform"
                                       : "popnn::LossSumSquaredTransform",
                                   op.inputs.at(0)->type);
  }
};

// numCorrect <- outputs, expected, numCorrect.
struct Accuracy {
  static constexpr const char *kName = "popnn.calcAccuracy";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex("popnn::CalcAccuracy",
                                   op.inputs.at(1)->type);
  }
};

// indices [, values] <- input.
struct ArgExtreme {
  static constexpr const char *kName = "popnn.argExtreme";
  bool largest; // else the smallest

  template <class Io> void fields(Io &io) { io(largest); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
  std::string vertexType(const NativeOp &op) const {
    return poputil::templateVertex(
        largest ? "popnn::ReduceMaxClassGather" : "popnn::ReduceMinClassGather",
        op.inputs.at(0)->type, op.outputs.at(0)->type);
  }
};

} // namespace ipumodel
