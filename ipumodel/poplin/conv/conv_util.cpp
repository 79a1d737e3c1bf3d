#include <poplin/ConvUtil.hpp>

#include <algorithm>

namespace poplin {

namespace {

using Range = std::pair<unsigned, unsigned>;
constexpr unsigned kNone = ~0u;

// The element of the untransformed operand at a position of the transformed
// one; kNone if it is zero.
unsigned sourceIndex(unsigned place, std::size_t size,
                     const ConvParams::InputTransform &t, unsigned dim) {
  const unsigned kept = static_cast<unsigned>(size) - t.truncationLower[dim] -
                        t.truncationUpper[dim];
  const unsigned dilated = getDilatedSize(kept, t.dilation[dim]);
  const unsigned total = t.paddingLower[dim] + dilated + t.paddingUpper[dim];
  if (place >= total)
    return kNone;
  if (t.flip[dim])
    place = total - 1 - place;
  if (place < t.paddingLower[dim] || place - t.paddingLower[dim] >= dilated)
    return kNone;
  place -= t.paddingLower[dim];
  if (place % t.dilation[dim] != 0)
    return kNone;
  return place / t.dilation[dim] + t.truncationLower[dim];
}

// The new position of an element of the untransformed operand; kNone if
// truncated.
unsigned transformedIndex(unsigned index, std::size_t size,
                          const ConvParams::InputTransform &t, unsigned dim) {
  if (index < t.truncationLower[dim] || index >= size - t.truncationUpper[dim])
    return kNone;
  const unsigned kept = static_cast<unsigned>(size) - t.truncationLower[dim] -
                        t.truncationUpper[dim];
  const unsigned total = t.paddingLower[dim] +
                         getDilatedSize(kept, t.dilation[dim]) +
                         t.paddingUpper[dim];
  const unsigned place =
      t.paddingLower[dim] + (index - t.truncationLower[dim]) * t.dilation[dim];
  return t.flip[dim] ? total - 1 - place : place;
}

// The start of an output element's window; kNone for output padding.
unsigned windowStart(unsigned outputIndex, const ConvParams &params,
                     unsigned dim) {
  const ConvParams::OutputTransform &t = params.outputTransform;
  if (outputIndex < t.paddingLower[dim] ||
      outputIndex >= params.getOutputSize(dim) - t.paddingUpper[dim])
    return kNone;
  return t.truncationLower[dim] +
         (outputIndex - t.paddingLower[dim]) * t.stride[dim];
}

// The smallest range that contains every index of `within` that `test` accepts.
template <class F> Range rangeWhere(Range within, F &&test) {
  Range result{0, 0};
  for (unsigned i = within.first; i < within.second; ++i)
    if (test(i)) {
      if (result.second == 0)
        result.first = i;
      result.second = i + 1;
    }
  return result;
}

} // namespace

unsigned getDilatedSize(unsigned size, unsigned dilation) {
  return size == 0 ? 0 : 1 + (size - 1) * dilation;
}

unsigned getInputIndex(unsigned dim, unsigned outputIndex, unsigned kernelIndex,
                       const ConvParams &params) {
  const unsigned start = windowStart(outputIndex, params, dim);
  const unsigned place = transformedIndex(kernelIndex, params.kernelShape[dim],
                                          params.kernelTransform, dim);
  if (start == kNone || place == kNone)
    return kNone;
  return sourceIndex(start + place, params.inputFieldShape[dim],
                     params.inputTransform, dim);
}

unsigned getKernelIndex(unsigned dim, unsigned outputIndex, unsigned inputIndex,
                        const ConvParams &params) {
  const unsigned start = windowStart(outputIndex, params, dim);
  const unsigned place = transformedIndex(
      inputIndex, params.inputFieldShape[dim], params.inputTransform, dim);
  if (start == kNone || place == kNone || place < start)
    return kNone;
  return sourceIndex(place - start, params.kernelShape[dim],
                     params.kernelTransform, dim);
}

Range getOutputRangeForKernelIndex(unsigned dim, Range outputRange,
                                   unsigned kernelIndex,
                                   const ConvParams &params) {
  return rangeWhere(outputRange, [&](unsigned i) {
    return getInputIndex(dim, i, kernelIndex, params) != kNone;
  });
}

Range getOutputRangeForInputIndex(unsigned dim, Range outputRange,
                                  unsigned inputIndex,
                                  const ConvParams &params) {
  return rangeWhere(outputRange, [&](unsigned i) {
    return getKernelIndex(dim, i, inputIndex, params) != kNone;
  });
}

Range getOutputRangeForKernelRange(unsigned dim, Range outputRange,
                                   Range kernelIndexRange,
                                   const ConvParams &params) {
  return rangeWhere(outputRange, [&](unsigned i) {
    for (unsigned k = kernelIndexRange.first; k < kernelIndexRange.second; ++k)
      if (getInputIndex(dim, i, k, params) != kNone)
        return true;
    return false;
  });
}

Range getOutputRangeForInputRange(unsigned dim, Range outputRange,
                                  Range inputRange, const ConvParams &params) {
  return rangeWhere(outputRange, [&](unsigned i) {
    for (unsigned k = inputRange.first; k < inputRange.second; ++k)
      if (getKernelIndex(dim, i, k, params) != kNone)
        return true;
    return false;
  });
}

Range getInputRange(unsigned dim, Range outputRange, unsigned kernelIndex,
                    const ConvParams &params) {
  return getInputRange(dim, outputRange, Range{kernelIndex, kernelIndex + 1},
                       params);
}

Range getKernelRange(unsigned dim, Range outputRange, unsigned inputIndex,
                     const ConvParams &params) {
  return getKernelRange(dim, outputRange, Range{inputIndex, inputIndex + 1},
                        params);
}

Range getInputRange(unsigned dim, Range outputRange, Range kernelIndexRange,
                    const ConvParams &params) {
  const Range all{0, static_cast<unsigned>(params.inputFieldShape[dim])};
  return rangeWhere(all, [&](unsigned index) {
    for (unsigned o = outputRange.first; o < outputRange.second; ++o) {
      const unsigned k = getKernelIndex(dim, o, index, params);
      if (k != kNone && k >= kernelIndexRange.first &&
          k < kernelIndexRange.second)
        return true;
    }
    return false;
  });
}

Range getKernelRange(unsigned dim, Range outputRange, Range inputRange,
                     const ConvParams &params) {
  const Range all{0, static_cast<unsigned>(params.kernelShape[dim])};
  return rangeWhere(all, [&](unsigned index) {
    for (unsigned o = outputRange.first; o < outputRange.second; ++o) {
      const unsigned i = getInputIndex(dim, o, index, params);
      if (i != kNone && i >= inputRange.first && i < inputRange.second)
        return true;
    }
    return false;
  });
}

ConvParams getGradientParams(const ConvParams &params) {
  const std::size_t dims = params.getNumFieldDims();
  const ConvParams fwd = params.canonicalize();
  const ConvParams::InputTransform &in = fwd.inputTransform;
  const ConvParams::InputTransform &kernel = fwd.kernelTransform;
  const ConvParams::OutputTransform &out = fwd.outputTransform;
  ConvParams::InputTransform bwdIn(dims), bwdKernel(dims);
  ConvParams::OutputTransform bwdOut(dims);
  for (unsigned dim = 0; dim < dims; ++dim) {
    const unsigned reach = fwd.getTransformedKernelSize(dim) - 1;
    // Elements that the forward stride skips at the end are not in the output.
    const std::size_t kept = fwd.getUntransformedOutputSize(dim) -
                             out.truncationLower[dim] -
                             out.truncationUpper[dim];
    const unsigned skipped =
        kept == 0 ? 0 : static_cast<unsigned>((kept - 1) % out.stride[dim]);
    bwdIn.truncationLower[dim] = out.paddingLower[dim];
    bwdIn.truncationUpper[dim] = out.paddingUpper[dim];
    bwdIn.dilation[dim] = out.stride[dim];
    bwdIn.paddingLower[dim] = out.truncationLower[dim] + reach;
    bwdIn.paddingUpper[dim] = out.truncationUpper[dim] + skipped + reach;
    // The weights are flipped, so their two ends are exchanged.
    bwdKernel.truncationLower[dim] = kernel.truncationUpper[dim];
    bwdKernel.truncationUpper[dim] = kernel.truncationLower[dim];
    bwdKernel.dilation[dim] = kernel.dilation[dim];
    bwdKernel.paddingLower[dim] = kernel.paddingUpper[dim];
    bwdKernel.paddingUpper[dim] = kernel.paddingLower[dim];
    bwdKernel.flip[dim] = kernel.flip[dim];
    // The gradient of a flipped input must be flipped back: flip both operands.
    if (in.flip[dim]) {
      bwdIn.flip[dim] = true;
      bwdKernel.flip[dim] = !bwdKernel.flip[dim];
    }
    bwdOut.truncationLower[dim] = in.paddingLower[dim];
    bwdOut.truncationUpper[dim] = in.paddingUpper[dim];
    bwdOut.stride[dim] = in.dilation[dim];
    bwdOut.paddingLower[dim] = in.truncationLower[dim];
    bwdOut.paddingUpper[dim] = in.truncationUpper[dim];
  }
  return ConvParams(fwd.inputType, fwd.outputType, fwd.batchSize,
                    fwd.getOutputFieldShape(), fwd.kernelShape,
                    fwd.outputChannelsPerConvGroup,
                    fwd.inputChannelsPerConvGroup, fwd.numConvGroups, bwdIn,
                    bwdKernel, bwdOut)
      .canonicalize();
}

ConvParams getWeightUpdateParams(const ConvParams &fwdParams) {
  const std::size_t dims = fwdParams.getNumFieldDims();
  const ConvParams fwd = fwdParams.canonicalize();
  const ConvParams::InputTransform &kernel = fwd.kernelTransform;
  const ConvParams::OutputTransform &out = fwd.outputTransform;
  // Convolves the activations with the output's gradient as the kernel; batch
  // and input channels are exchanged.
  ConvParams::InputTransform wuIn = fwd.inputTransform, wuKernel(dims);
  ConvParams::OutputTransform wuOut(dims);
  for (unsigned dim = 0; dim < dims; ++dim) {
    const std::size_t kept = fwd.getUntransformedOutputSize(dim) -
                             out.truncationLower[dim] -
                             out.truncationUpper[dim];
    const unsigned skipped =
        kept == 0 ? 0 : static_cast<unsigned>((kept - 1) % out.stride[dim]);
    wuKernel.truncationLower[dim] = out.paddingLower[dim];
    wuKernel.truncationUpper[dim] = out.paddingUpper[dim];
    wuKernel.dilation[dim] = out.stride[dim];
    wuKernel.paddingLower[dim] = out.truncationLower[dim];
    wuKernel.paddingUpper[dim] = out.truncationUpper[dim] + skipped;
    wuOut.truncationLower[dim] = kernel.paddingLower[dim];
    wuOut.truncationUpper[dim] = kernel.paddingUpper[dim];
    wuOut.stride[dim] = kernel.dilation[dim];
    wuOut.paddingLower[dim] = kernel.truncationLower[dim];
    wuOut.paddingUpper[dim] = kernel.truncationUpper[dim];
    // The gradient of a flipped kernel must be flipped back: flip both
    // operands.
    if (kernel.flip[dim]) {
      wuIn.flip[dim] = !wuIn.flip[dim];
      wuKernel.flip[dim] = true;
    }
  }
  return ConvParams(fwd.inputType, fwd.outputType,
                    fwd.inputChannelsPerConvGroup, fwd.inputFieldShape,
                    fwd.getOutputFieldShape(), fwd.batchSize,
                    fwd.outputChannelsPerConvGroup, fwd.numConvGroups, wuIn,
                    wuKernel, wuOut)
      .canonicalize();
}

} // namespace poplin
