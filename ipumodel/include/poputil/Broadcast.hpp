// Broadcasting as in NumPy: dimensions are aligned from the last one, and a
// dimension that is missing or of size 1 is repeated. The results are views.
#pragma once

#include <poplar/Tensor.hpp>

#include <cstddef>
#include <vector>

namespace poputil {

// Adds leading dimensions of size 1 to the tensor of lower rank.
void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b);

// Throw poplibs_error if the shapes do not match.
void broadcastToMatch(poplar::Tensor &a, const std::vector<std::size_t> &shape);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b);
void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c);

bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b);

} // namespace poputil
