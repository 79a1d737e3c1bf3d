// Tiles set apart for input and output.
#pragma once

#include <poplar/Graph.hpp>

#include <vector>

namespace gcl {

// The fewest tiles per IPU that can be set apart.
unsigned getMinIoTiles(const poplar::Graph &graph);

// `count` tiles of an IPU, from the one at `offset` in an order that suits
// input and output: ranges that do not overlap give tiles that do not. sorted:
// ascending. tilePairs: tiles that share an exchange port stay together, so
// that both numbers have to be even. Throws poputil::poplibs_error if there are
// not so many tiles.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset,
                                  unsigned count, bool sorted = true,
                                  bool tilePairs = true);

} // namespace gcl
