// Finds the vertex classes of a source file.
#pragma once

#include "popc/scan/translation_unit.hpp"
#include "popc/scan/vertex_class.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace ipumodel::popc {

// A class that cannot be a vertex; the message says where and why.
struct VertexError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct VertexScan {
  std::vector<VertexClass> vertices;
  std::vector<std::string> warnings;
  std::vector<std::string> errors; // of the language; then nothing else counts
  std::vector<std::string> macros; // to define before compiling, own_names.hpp
};

// Every class of the source and its headers, system headers apart, that derives
// from a Poplar vertex class and has a compute(); of templates the explicit
// instantiations and specialisations. Throws VertexError.
VertexScan scanVertices(const SourceText &source,
                        const std::vector<std::string> &flags);

} // namespace ipumodel::popc
