#include "poplar/estimate/compute_set_estimate.hpp"

#include "poplar/vertex/vertex_edges.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

constexpr std::uint64_t kSyncCycles = 50; // per compute step, assumed

} // namespace

// Worker vertices of a tile share its worker contexts; other vertices use the
// whole tile.
ComputeSetEstimate::ComputeSetEstimate(
    const GraphData &graph, const ComputeSetInfo &computeSet,
    const std::vector<std::uint64_t> &vertexCycles)
    : exchange_(graph) {
  std::unordered_map<TileId, std::uint64_t> workerCycles;
  for (const std::uint32_t id : computeSet.vertices) {
    const Vertex &vertex = graph.vertices[id];
    const bool isWorker =
        graph.vertexTypes[vertex.type].codelet->kind == abi::VertexKind::vertex;
    (isWorker ? workerCycles : tileCycles_)[vertex.tile] += vertexCycles[id];
    forEachEdge(graph, id, [&](const abi::Field &field, const Edge &edge) {
      exchange_.addEdge(edge, field.elementSize, vertex.tile, field.direction);
    });
  }
  const unsigned contexts = std::max(1u, graph.target.getNumWorkerContexts());
  for (const auto &[tile, cycles] : workerCycles)
    tileCycles_[tile] += (cycles + contexts - 1) / contexts;
}

std::uint64_t ComputeSetEstimate::cycles() const {
  std::uint64_t slowest = 0;
  for (const auto &entry : tileCycles_)
    slowest = std::max(slowest, entry.second);
  return exchange_.cycles() + slowest + kSyncCycles;
}

} // namespace ipumodel
