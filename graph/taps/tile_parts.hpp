// Divides a tensor among the vertices that compute its statistics.
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>

#include <cstddef>
#include <vector>

namespace popscope::graph {

// What one vertex reads: regions of the flattened tensor, each contiguous in
// the tile's memory.
struct TilePart {
  unsigned tile = 0;
  std::vector<std::vector<poplar::Interval>> regions;
};

// The fewest elements that are worth a vertex. Tiles with fewer leave them to a
// neighbour. On a device that costs an exchange of at most this many elements;
// on the engine it saves thousands of tiny vertices.
constexpr std::size_t kPartGrain = 4096;

// The fewest elements of an item that may have a part of its own.
constexpr std::size_t kFewestOfItem = 128;

// Parts that together have all elements of the tensor, on the tiles they are
// mapped to; tiles with many elements get a part for each worker. Throws what
// Graph::getTileMapping throws for a tensor without a mapping. No part has
// elements of two items, which are this many consecutive elements each; an item
// of 0 or few elements sets no limit.
std::vector<TilePart> tileParts(const poplar::Graph &graph,
                                const poplar::Tensor &tensor,
                                std::size_t itemElements = 0);

} // namespace popscope::graph
