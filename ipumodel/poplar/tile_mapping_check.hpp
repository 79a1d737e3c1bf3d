// Which variables a graph's programs, vertices and host accesses reach.
#pragma once

#include "poplar/graph_data.hpp"

#include <vector>

namespace ipumodel {

class TileMappingCheck {
public:
  explicit TileMappingCheck(const GraphData &graph)
      : graph_(graph), used_(graph.variables.size()) {}

  void add(const View &view);
  void add(const Edge &edge);

  // Throws invalid_tile_mapping for the first one that is not mapped
  // throughout. Constants need no tile.
  void checkMapped() const;

private:
  const GraphData &graph_;
  std::vector<bool> used_;
};

} // namespace ipumodel
