// What popc finds out about a vertex class.
#pragma once

#include "poplar/codelet/codelet_abi.hpp"

#include <string>
#include <vector>

namespace ipumodel::popc {

struct FieldType {
  abi::Direction direction;
  abi::Form form;
  std::string elementType; // canonical C spelling
};

struct VertexField {
  std::string name;
  FieldType type;
};

struct VertexClass {
  std::string name;                // as programs give it to addVertex
  std::string spelling;            // as C++ source at global scope
  std::vector<VertexField> fields; // inherited ones first
};

} // namespace ipumodel::popc
