// The products of a spline convolution.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popops {

// Of edges with features `input` [numEdges, numInputChannels]:
//   output[e, o] = sum over s, i of
//       basis[e, s] * input[e, i] * weight[weightIndex[e, s], i, o]
// where `weight` is [kernelSize, numInputChannels, numOutputChannels], and
// `basis` and `weightIndex` [numEdges, numSplines] are those of splineBasis().
// All but the indices, which are INT, are FLOAT or all HALF; sums are in float.
// An index without a weight makes its edge NaN. Throws poputil::poplibs_error
// if shapes or types do not match.
poplar::Tensor splineWeighting(poplar::Graph &graph,
                               const poplar::Tensor &input,
                               const poplar::Tensor &weight,
                               const poplar::Tensor &basis,
                               const poplar::Tensor &weightIndex,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext = {});

} // namespace popops
