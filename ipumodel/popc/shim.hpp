// The C++ that popc adds to a codelet source: tables of its vertex classes, and
// the functions that run them.
#pragma once

#include "popc/scan/vertex_class.hpp"

#include <string>
#include <vector>

namespace ipumodel::popc {

// To be appended to source number `source`, whose first line includes
// codelet_abi.hpp. Defines the symbol vertexSymbol(source, i) for each vertex.
// If they draw random numbers, each vertex has generators of its own.
std::string vertexTables(std::size_t source,
                         const std::vector<VertexClass> &vertices,
                         bool drawRandomNumbers);

std::string vertexSymbol(std::size_t source, std::size_t vertex);

// To be appended to one source of the library: defines abi::kModuleSymbol,
// which lists the given vertex symbols, printf for codelets, and the random
// generator of the vertex that runs.
std::string moduleTable(const std::vector<std::string> &vertexSymbols);

} // namespace ipumodel::popc
