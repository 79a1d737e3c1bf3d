// The part of popc's C++ that runs many small vertices as one loop over arrays.
#pragma once

#include "popc/scan/vertex_class.hpp"

#include <string>

namespace ipumodel::popc {

// What the following needs of namespace popc_shim, after the rest of it.
const char *columnSupport();

// Whether all fields are single elements or values.
bool canBeColumns(const VertexClass &vertex);

// An expression for its abi::RunColumnsFunction, where V is the class.
std::string runColumns(const VertexClass &vertex);

} // namespace ipumodel::popc
