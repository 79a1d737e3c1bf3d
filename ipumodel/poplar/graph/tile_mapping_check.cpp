#include "poplar/graph/tile_mapping_check.hpp"

#include "poplar/graph/graph_impl.hpp"

#include <poplar/exceptions.hpp>

namespace ipumodel {

void TileMappingCheck::add(const View &view) {
  for (const Block &block : view.blocks())
    used_[block.variable] = true;
}

void TileMappingCheck::add(const Edge &edge) {
  if (edge.variable == Edge::kView)
    add(*graph_.edgeViews[edge.offset]);
  else if (edge.count != 0)
    used_[edge.variable] = true;
}

void TileMappingCheck::checkMapped() const {
  for (std::size_t id = 0; id < used_.size(); ++id) {
    const Variable &variable = graph_.variables[id];
    if (!used_[id] || variable.kind != Variable::Kind::variable)
      continue;
    variable.mapping.forEach(
        0, variable.numElements,
        [&](std::size_t begin, std::size_t end, TileId tile) {
          if (tile == kNoTile)
            throw poplar::invalid_tile_mapping(
                prefixOf(variable.location) + "Elements [" +
                std::to_string(begin) + ":" + std::to_string(end) +
                ") of variable '" + nameOf(graph_, VariableId(id)) +
                "' are used but not mapped to a tile");
        });
  }
}

} // namespace ipumodel
