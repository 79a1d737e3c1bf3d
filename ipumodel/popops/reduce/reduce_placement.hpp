// The tiles of a reduction's output.
#pragma once

#include <poplar/Graph.hpp>

#include <vector>

namespace ipumodel {

// Maps `out` to tiles: if all the elements that make an element of it are on
// one tile, to that tile, else linearly.
void placeReduced(poplar::Graph &graph, const poplar::Tensor &in,
                  const poplar::Tensor &out,
                  const std::vector<std::size_t> &dims);

} // namespace ipumodel
