// Spatial softmax: where the largest values of a field are.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popnn/NonLinearity.hpp>

#include <utility>

namespace popnn {

// The expected coordinates [F, 2], row before column and each in [-1, 1], of
// the softmax of each of the `fields` [F, H, W]; and the scalar variable that
// fields are divided by before, which starts as `temperature`. With
// `disableSoftmax` the quotients are taken as the probabilities. Throws
// poputil::poplibs_error if the fields have another rank.
std::pair<poplar::Tensor, poplar::Tensor>
spatialSoftMax2D(poplar::Graph &graph, poplar::program::Sequence &prog,
                 const poplar::Tensor &fields, float temperature,
                 bool disableSoftmax = false,
                 const poplar::DebugContext &debugContext = {});

} // namespace popnn
