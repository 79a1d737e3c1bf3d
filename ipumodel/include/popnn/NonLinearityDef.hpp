// The non-linearities; codelets may include this.
#pragma once

namespace popnn {

enum class NonLinearityType {
  SIGMOID,
  HARD_SIGMOID,
  RELU,
  TANH,
  GELU,
  GELU_ERF,
  SWISH,
  SOFTMAX,
  SOFTMAX_STABLE,
  SOFTMAX_SCALED // stable, times 62000, to keep the precision of HALF
};

} // namespace popnn
