// The native operations of softmax, over rows of the innermost dimension.
#pragma once

#include "poplar/plan/native_kernel.hpp"

namespace ipumodel {

enum class SoftmaxKind : unsigned char {
  plain,  // without subtracting the maximum
  stable, // with subtracting it
  log     // its logarithm, stable
};

// out <- in.
struct Softmax {
  static constexpr const char *kName = "popnn.softmax";
  SoftmaxKind kind;
  float factor; // of the result

  template <class Io> void fields(Io &io) {
    io.choice(kind, SoftmaxKind::log);
    io(factor);
  }
  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

// gradient of in <- out, gradient of out.
struct SoftmaxGradient {
  static constexpr const char *kName = "popnn.softmaxInputGradient";

  InstructionPtr lower(const NativeOp &op, const std::string &name,
                       PlanBuilder &builder) const;
};

} // namespace ipumodel
