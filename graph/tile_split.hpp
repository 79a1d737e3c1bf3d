// How a number of equal items is shared out among tiles.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>

namespace popscope::graph {

// The items of `tile` when `count` items are spread evenly and in order over
// all tiles of the graph; empty when there are more tiles than items.
poplar::Interval tileShare(const poplar::Graph &graph, std::size_t count,
                           unsigned tile);

// Maps equal shares of one dimension of the tensor to all tiles in order.
void mapAlong(poplar::Graph &graph, const poplar::Tensor &tensor,
              unsigned dimension);

} // namespace popscope::graph
