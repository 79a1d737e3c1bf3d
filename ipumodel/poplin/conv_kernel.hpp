// The native operations behind convolutions. Parameters of all of them start
// with the ConvParams of the forward pass, or of the convolution itself.
#pragma once

#include <poplar/Target.hpp>

#include <cstdint>

namespace ipumodel {

class ConvGeometry;

// out <- in, weights; then a bool: transpose and flip the weights.
constexpr const char *kConvolutionKernel = "poplin.convolution";
// gradient <- zDeltas, activations, [scale tensor], [gradient]; then a float
// scale and two bools: is there a scale tensor, and is the sum added to what is
// there.
constexpr const char *kWeightDeltasKernel = "poplin.weightDeltas";

// The model's estimate for one pass, all tiles at work.
std::uint64_t convCycles(const poplar::Target &target,
                         const ConvGeometry &geometry);

} // namespace ipumodel
