// How the clone of a tensor relates to the original's order and aliases.
#pragma once

#include <iosfwd>
#include <string>

namespace poplar {

enum class TensorCloneMethod {
  PRESERVE_ORDER_AND_ALIASES,
  CREATE_NEW_ORDER,
  PRESERVE_ORDER_UNLESS_ALIASES,
  GATHER_AND_PRESERVE_TILE_ORDER_AND_ALIASES
};

enum class TensorCloneDuplicationMethod {
  DUPLICATE_BY_OUTER_DIMENSION,
  DUPLICATE_BY_TILE_CONTIGUOUS_REGION
};

std::string toString(const TensorCloneMethod &method);
std::ostream &operator<<(std::ostream &os, const TensorCloneMethod &method);

} // namespace poplar
