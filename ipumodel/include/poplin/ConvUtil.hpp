// Index arithmetic of convolutions, and the parameters of their gradients.
#pragma once

#include <poplin/Convolution.hpp>

#include <utility>

namespace poplin {

// 1 + (size - 1) * dilation, and 0 for 0.
unsigned getDilatedSize(unsigned size, unsigned dilation);

// The index that is multiplied with the other two; ~0u if there is none.
unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params);
unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params);

// Half-open ranges of the indices that contribute; empty ranges are {0, 0}.
std::pair<unsigned, unsigned>
getOutputRangeForKernelIndex(unsigned dim,
                             std::pair<unsigned, unsigned> outputRange,
                             unsigned kernelIndex, const ConvParams &params);
std::pair<unsigned, unsigned>
getOutputRangeForInputIndex(unsigned dim,
                            std::pair<unsigned, unsigned> outputRange,
                            unsigned inputIndex, const ConvParams &params);
std::pair<unsigned, unsigned> getOutputRangeForKernelRange(
    unsigned dim, std::pair<unsigned, unsigned> outputRange,
    std::pair<unsigned, unsigned> kernelIndexRange, const ConvParams &params);
std::pair<unsigned, unsigned> getOutputRangeForInputRange(
    unsigned dim, std::pair<unsigned, unsigned> outputRange,
    std::pair<unsigned, unsigned> inputRange, const ConvParams &params);
std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
              unsigned kernelIndex, const ConvParams &params);
std::pair<unsigned, unsigned>
getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
               unsigned inputIndex, const ConvParams &params);
std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
              std::pair<unsigned, unsigned> kernelIndexRange,
              const ConvParams &params);
std::pair<unsigned, unsigned>
getKernelRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
               std::pair<unsigned, unsigned> inputRange,
               const ConvParams &params);

inline std::pair<unsigned, unsigned>
getInputRange(unsigned dim, unsigned outputIndex,
              std::pair<unsigned, unsigned> kernelIndexRange,
              const ConvParams &params) {
  return getInputRange(dim, std::make_pair(outputIndex, outputIndex + 1),
                       kernelIndexRange, params);
}
inline std::pair<unsigned, unsigned>
getInputRange(unsigned dim, unsigned outputIndex, const ConvParams &params) {
  return getInputRange(
      dim, outputIndex,
      std::make_pair(0u, static_cast<unsigned>(params.kernelShape[dim])),
      params);
}
inline std::pair<unsigned, unsigned>
getInputRange(unsigned dim, std::pair<unsigned, unsigned> outputRange,
              const ConvParams &params) {
  return getInputRange(
      dim, outputRange,
      std::make_pair(0u, static_cast<unsigned>(params.kernelShape[dim])),
      params);
}

// Parameters of the convolution that gives the input's gradient: the output's
// gradient with the transposed and flipped weights.
ConvParams getGradientParams(const ConvParams &params);
// Parameters of the convolution that gives the weights' gradient.
ConvParams getWeightUpdateParams(const ConvParams &fwdParams);

} // namespace poplin
