// The layout of the result of an element-wise operation.
#pragma once

#include <poplar/Graph.hpp>

#include <vector>

namespace popops {

// A new variable with the layout of the best balanced input: the fewest
// elements on its fullest tile, then the most tiles, then the fewest regions.
// Mapped linearly if all inputs contain aliases. Throws poplibs_error if there
// are no inputs or their shapes differ.
poplar::Tensor
createOutputForElementWiseOp(poplar::Graph &graph,
                             const std::vector<poplar::Tensor> &inputs,
                             const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {});

} // namespace popops
