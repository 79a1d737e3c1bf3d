// Where the result of an element-wise operation lies.
#pragma once

#include <poplar/Graph.hpp>

#include <vector>

namespace popops {

// A new variable laid out like the input that is spread best: the smallest
// largest share of a tile, then the most tiles, then the fewest regions. If all
// inputs contain aliases it is mapped linearly. Throws poplibs_error unless
// there are inputs and they have equal shapes.
poplar::Tensor
createOutputForElementWiseOp(poplar::Graph &graph,
                             const std::vector<poplar::Tensor> &inputs,
                             const poplar::Type &outputType,
                             const poplar::DebugContext &debugContext = {});

} // namespace popops
