// The C++ that popc adds to a codelet source: tables of its vertex classes, and
// the functions that run them.
#pragma once

#include "popc/scan/vertex_class.hpp"

#include <string>
#include <vector>

namespace ipumodel::popc {

// What holds for all vertices of a source.
struct VertexTraits {
  bool drawRandom;       // each has random generators of its own
  bool computeAsWritten; // results do not depend on how loops are compiled
};

// To be appended to source number `source`, whose first line includes
// codelet_abi.hpp. Defines the symbol vertexSymbol(source, i) for each vertex.
std::string vertexTables(std::size_t source,
                         const std::vector<VertexClass> &vertices,
                         const VertexTraits &traits);

std::string vertexSymbol(std::size_t source, std::size_t vertex);

// To be appended to one source of the library: defines abi::kModuleSymbol,
// which lists the given vertex symbols, printf for codelets, and the random
// generator of the vertex that runs.
std::string moduleTable(const std::vector<std::string> &vertexSymbols);

} // namespace ipumodel::popc
