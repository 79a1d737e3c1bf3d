// What executing a compute set costs; an estimate for the profile.
#pragma once

#include "poplar/exchange.hpp"
#include "poplar/graph_data.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace ipumodel {

class ComputeSetEstimate {
public:
  // `vertexCycles` are those of all vertices of the graph.
  ComputeSetEstimate(const GraphData &graph, const ComputeSetInfo &computeSet,
                     const std::vector<std::uint64_t> &vertexCycles);

  // Edges come to their vertices before these compute.
  const Exchange &exchange() const { return exchange_; }
  // Computing, by tile.
  const std::unordered_map<TileId, std::uint64_t> &tileCycles() const {
    return tileCycles_;
  }
  // Of the exchange, the slowest tile and their synchronisation.
  std::uint64_t cycles() const;

private:
  Exchange exchange_;
  std::unordered_map<TileId, std::uint64_t> tileCycles_;
};

} // namespace ipumodel
