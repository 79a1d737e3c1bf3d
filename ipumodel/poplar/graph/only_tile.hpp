// Whether a tensor is on one tile.
#pragma once

#include <poplar/Graph.hpp>

#include <optional>

namespace ipumodel {

// The tile of all elements, in any graph; empty if they are on several tiles or
// not all mapped. Does not depend on the order of the elements in the tensor.
std::optional<unsigned> onlyTile(const poplar::Graph &graph,
                                 const poplar::Tensor &t);

} // namespace ipumodel
