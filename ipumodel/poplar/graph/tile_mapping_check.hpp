// Checks that every variable that programs, vertices or the host use is mapped
// to tiles.
#pragma once

#include "poplar/graph/graph_data.hpp"

#include <vector>

namespace ipumodel {

class TileMappingCheck {
public:
  explicit TileMappingCheck(const GraphData &graph)
      : graph_(graph), used_(graph.variables.size()) {}

  void add(const View &view);
  void add(const Edge &edge);

  // Throws invalid_tile_mapping for the first used variable that is not
  // completely mapped. Constants need no tile.
  void checkMapped() const;

private:
  const GraphData &graph_;
  std::vector<bool> used_;
};

} // namespace ipumodel
