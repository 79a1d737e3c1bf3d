// The native operations of losses and accuracy.
#pragma once

namespace ipumodel {

// loss, deltas <- outputs, expected, [deltasScale, modelOutputScaling]; then
// the LossType.
constexpr const char *kLossKernel = "popnn.calcLoss";
// numCorrect <- outputs, expected, numCorrect.
constexpr const char *kAccuracyKernel = "popnn.calcAccuracy";
// indices [, values] <- input; then a bool: the largest, else the smallest.
constexpr const char *kArgExtremeKernel = "popnn.argExtreme";

} // namespace ipumodel
