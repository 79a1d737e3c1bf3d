// Class scores of a batch of images.
#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popscope::graph {

// Appends logits = images x weights^T and returns them, [batch, classes]; each
// row lies on the tile that computes it. images is [batch, inputs], weights
// [classes, inputs].
poplar::Tensor addLinear(poplar::Graph &graph, const poplar::Tensor &images,
                         const poplar::Tensor &weights,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
