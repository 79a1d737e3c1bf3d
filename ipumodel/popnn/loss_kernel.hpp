// The native operations of losses and accuracy.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <popnn/Loss.hpp>

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
};

// numCorrect <- outputs, expected, numCorrect.
struct Accuracy {
  static constexpr const char *kName = "popnn.calcAccuracy";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

// indices [, values] <- input.
struct ArgExtreme {
  static constexpr const char *kName = "popnn.argExtreme";
  bool largest; // else the smallest

  template <class Io> void fields(Io &io) { io(largest); }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

} // namespace ipumodel
