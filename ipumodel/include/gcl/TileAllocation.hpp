// Tiles reserved for input and output.
#pragma once

#include <poplar/Graph.hpp>

#include <vector>

namespace gcl {

// The fewest tiles per IPU that can be reserved.
unsigned getMinIoTiles(const poplar::Graph &graph);

// `count` tiles of an IPU, starting at `offset` in an order that suits input
// and output: disjoint ranges give disjoint tiles. sorted: ascending.
// tilePairs: tiles that share an exchange port stay together, so both numbers
// must be even. Throws poputil::poplibs_error if there are too few tiles.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset,
                                  unsigned count, bool sorted = true,
                                  bool tilePairs = true);

} // namespace gcl
