// How a new variable is mapped to tiles.
#pragma once

#include <iosfwd>
#include <string>

namespace poplar {

enum class VariableMappingMethod { NONE, LINEAR };

std::string toString(const VariableMappingMethod &method);
std::ostream &operator<<(std::ostream &os, const VariableMappingMethod &method);

} // namespace poplar
