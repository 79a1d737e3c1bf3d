// The default cost of a vertex without an estimator.
//
// A worker enters and leaves the vertex, fetches the address and size of each
// edge, moves the elements over its data path (both ways for InOut) and spends
// one instruction on each vector of them. Vertices that use all workers share
// the elements among them. What compute() really does is unknown, so this ranks
// vertices by their data only; no flops are counted.
#include "poplar/codelet/vertex_name.hpp"
#include "poplar/graph/graph_impl.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/vertex/vertex_introspection.hpp"

#include <poplar/Graph.hpp>

namespace ipumodel {

namespace {

constexpr std::uint64_t kCyclesPerVertex = 20;
constexpr std::uint64_t kCyclesPerEdge = 4;

std::uint64_t ceilDiv(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

std::uint64_t defaultCycles(const GraphData &graph, const Vertex &vertex) {
  const poplar::Target &target = graph.target;
  const abi::VertexType &codelet = *graph.vertexTypes[vertex.type].codelet;
  const std::uint64_t bytesPerMove = target.getDataPathWidth() / 8;
  std::uint64_t edges = 0, work = 0;
  for (std::uint32_t i = 0; i < codelet.numFields; ++i) {
    const FieldValue &value = graph.fields[vertex.firstField + i];
    if (value.kind != FieldValue::Kind::edges)
      continue;
    const abi::Field &field = codelet.fields[i];
    const std::uint64_t moves =
        field.direction == abi::Direction::inOut ? 2 : 1;
    const std::uint64_t vectorWidth = bytesPerMove / field.elementSize;
    for (std::uint32_t e = 0; e < value.count; ++e) {
      const std::uint64_t count = graph.edges[value.value + e].count;
      ++edges;
      work += moves * ceilDiv(count * field.elementSize, bytesPerMove) +
              ceilDiv(count, vectorWidth);
    }
  }
  if (codelet.kind != abi::VertexKind::vertex)
    work = ceilDiv(work, target.getNumWorkerContexts());
  return kCyclesPerVertex + kCyclesPerEdge * edges + work;
}

} // namespace

poplar::VertexPerfEstimate estimateVertex(const GraphData &graph,
                                          std::uint32_t vertex) {
  const auto set = graph.perfEstimates.find(vertex);
  if (set != graph.perfEstimates.end())
    return set->second;
  const Vertex &v = graph.vertices[vertex];
  const auto estimator = graph.estimators.find(graph.vertexTypes[v.type].name);
  if (estimator == graph.estimators.end())
    return defaultCycles(graph, v);
  const poplar::VertexIntrospector introspector(
      std::make_unique<VertexIntrospection>(
          VertexIntrospection{&graph, vertex}));
  return estimator->second(introspector, graph.target);
}

} // namespace ipumodel

namespace poplar {

using ipumodel::GraphData;
using ipumodel::implOf;

namespace {

std::uint32_t checkedId(const GraphData &graph, const VertexRef &v) {
  if (v.getId() >= graph.vertices.size())
    throw poplar_error(
        "perf estimate of a vertex that does not belong to this graph");
  return v.getId();
}

} // namespace

void Graph::setPerfEstimate(const VertexRef &v, std::uint64_t cycles,
                            std::uint64_t flops) {
  setPerfEstimate(v, VertexPerfEstimate(cycles, flops));
}

void Graph::setPerfEstimate(const VertexRef &v,
                            const VertexPerfEstimate &estimate) {
  GraphData &graph = *implOf(*this).data;
  graph.perfEstimates[checkedId(graph, v)] = estimate;
}

VertexPerfEstimate Graph::getPerfEstimate(const VertexRef &v) const {
  const GraphData &graph = *implOf(*this).data;
  return ipumodel::estimateVertex(graph, checkedId(graph, v));
}

void Graph::registerPerfEstimator(StringRef vertexTypeName,
                                  PerfEstimateFunc f) {
  implOf(*this).data->estimators[ipumodel::normaliseVertexName(
      vertexTypeName.cloneAsString())] = std::move(f);
}

} // namespace poplar
