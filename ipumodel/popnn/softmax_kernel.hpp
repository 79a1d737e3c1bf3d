// The native operations of softmax, over rows of the innermost dimension.
#pragma once

namespace ipumodel {

enum class SoftmaxKind : unsigned char {
  plain,  // without subtracting the maximum
  stable, // with subtracting it
  log     // its logarithm, stable
};

// out <- in; then a SoftmaxKind and a float that multiplies the result.
constexpr const char *kSoftmaxKernel = "popnn.softmax";
// gradient of in <- out, gradient of out.
constexpr const char *kSoftmaxGradientKernel = "popnn.softmaxInputGradient";

} // namespace ipumodel
