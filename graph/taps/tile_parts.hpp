// How a tensor is shared out for summaries that read it once.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>
#include <vector>

namespace popscope::graph {

// The share of one vertex: regions that are each contiguous in the memory of
// the tile, in terms of the flattened tensor.
struct TilePart {
  unsigned tile = 0;
  std::vector<std::vector<poplar::Interval>> regions;
};

// The fewest elements that are worth a vertex. Tiles with fewer are summarised
// by one of their neighbours: on a device that costs an exchange of at most
// this many elements, elsewhere it saves thousands of tiny vertices.
constexpr std::size_t kPartGrain = 4096;

// Shares of all elements of the tensor on the tiles they lie on, large tiles
// shared out among their workers. Reads the tile mapping, so it throws what
// Graph::getTileMapping throws for a tensor that has none.
std::vector<TilePart> tileParts(const poplar::Graph &graph,
                                const poplar::Tensor &tensor);

} // namespace popscope::graph
