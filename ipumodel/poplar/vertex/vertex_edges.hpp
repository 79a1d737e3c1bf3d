// Iteration over the edges of a vertex.
#pragma once

#include "poplar/graph/graph_data.hpp"

namespace ipumodel {

// Calls f(field, edge) for every edge that is not empty.
template <class F>
void forEachEdge(const GraphData &graph, std::uint32_t vertexId, F &&f) {
  const Vertex &vertex = graph.vertices[vertexId];
  const abi::VertexType &type = *graph.vertexTypes[vertex.type].codelet;
  for (std::uint32_t i = 0; i < type.numFields; ++i) {
    const FieldValue &value = graph.fields[vertex.firstField + i];
    if (value.kind != FieldValue::Kind::edges)
      continue;
    for (std::uint32_t k = 0; k < value.count; ++k) {
      const Edge &edge = graph.edges[value.value + k];
      if (edge.count > 0)
        f(type.fields[i], edge);
    }
  }
}

} // namespace ipumodel
