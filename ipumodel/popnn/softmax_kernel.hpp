// The native operations behind softmax. Rows are those of the innermost
// dimension.
#pragma once

namespace ipumodel {

enum class SoftmaxKind : unsigned char {
  plain,  // without subtracting the maximum
  stable, // with
  log     // the logarithm of it, stable
};

// out <- in; then a SoftmaxKind and a float that multiplies the result.
constexpr const char *kSoftmaxKernel = "popnn.softmax";
// gradient of in <- out, gradient of out.
constexpr const char *kSoftmaxGradientKernel = "popnn.softmaxInputGradient";

} // namespace ipumodel
