// Parts of a flattened tensor, sorted by their order in memory.
#pragma once

#include "poplar/view/view.hpp"

#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>

#include <vector>

namespace ipumodel {

// Consecutive elements of a flattened tensor and of a variable.
struct Piece {
  Run run;
  std::size_t position; // in the flattened tensor
  std::size_t alias;    // the first position with the same elements
};

// The pieces of the given regions, ordered by variable and offset.
std::vector<Piece> sortedPieces(const View &view,
                                poplar::ArrayRef<poplar::Interval> regions);

// Cuts the pieces until any two have either the same elements or none in
// common, and sets `alias`. Keeps the order.
std::vector<Piece> resolveAliases(const std::vector<Piece> &sorted);

} // namespace ipumodel
