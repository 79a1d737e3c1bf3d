// The native operations of normalisation whose channels are rows in memory, as
// those of layer normalisation are: each row is an item of a batch. Others are
// composed of reductions and maps.
#pragma once

#include "poplar/plan/native_kernel.hpp"

namespace ipumodel {

// means [C], inverse standard deviations [C] <- activations [C,n], all FLOAT.
struct NormStatistics {
  static constexpr const char *kName = "poplin.normStatistics";
  float meanScale, varianceScale; // of sums, and of variance and epsilon
  float epsilon;
  bool isStable; // the variance is the mean of squared distances

  template <class Io> void fields(Io &io) {
    io(meanScale, varianceScale, epsilon, isStable);
  }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
};

// gradients of activations [C,n] <- whitened activations [C,n], gradients of
// these [C,n], inverse standard deviations [C], all FLOAT.
struct NormGradient {
  static constexpr const char *kName = "poplin.normGradient";
  float meanScale; // of sums

  template <class Io> void fields(Io &io) { io(meanScale); }
  StagePtr stage(const NativeOp &op, const std::string &name,
                 StageOperands &operands) const;
};

} // namespace ipumodel
