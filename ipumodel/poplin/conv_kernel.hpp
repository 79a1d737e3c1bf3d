// The native operations of convolutions. Their parameters begin with the
// ConvParams of the forward pass, or of the convolution itself.
#pragma once

#include <poplar/Target.hpp>

#include <cstdint>

namespace ipumodel {

class ConvGeometry;

// out <- in, weights; then a bool: transpose and flip the weights.
constexpr const char *kConvolutionKernel = "poplin.convolution";
// gradient <- zDeltas, activations, [scale tensor], [gradient]; then a float
// scale and two bools: is there a scale tensor, and is the sum added to the
// present gradient.
constexpr const char *kWeightDeltasKernel = "poplin.weightDeltas";

// Estimated cycles of one execution with all tiles of an IPU busy.
std::uint64_t convCycles(const poplar::Target &target,
                         const ConvGeometry &geometry);

} // namespace ipumodel
