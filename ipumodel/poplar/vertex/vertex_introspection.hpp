// Implementation of VertexIntrospector and FieldData.
#pragma once

#include "poplar/graph/graph_data.hpp"

namespace ipumodel {

struct VertexIntrospection {
  const GraphData *graph;
  std::uint32_t vertex;
};

struct FieldIntrospection {
  const GraphData *graph;
  const abi::Field *field;
  const FieldValue *value;
};

} // namespace ipumodel
