// The estimated cost of a compute set, for the profile.
#pragma once

#include "poplar/estimate/exchange.hpp"
#include "poplar/graph/graph_data.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class ComputeSetEstimate {
public:
  // `vertexCycles` has an entry for every vertex of the graph.
  ComputeSetEstimate(const GraphData &graph, const ComputeSetInfo &computeSet,
                     const std::vector<std::uint64_t> &vertexCycles);

  // The exchange that brings edges to their vertices before these compute.
  const Exchange &exchange() const { return exchange_; }
  // Cycles of the vertices, by tile.
  const std::unordered_map<TileId, std::uint64_t> &tileCycles() const {
    return tileCycles_;
  }
  // Total of the exchange, the slowest tile and the synchronisation.
  std::uint64_t cycles() const;

private:
  Exchange exchange_;
  std::unordered_map<TileId, std::uint64_t> tileCycles_;
};

} // namespace ipumodel
