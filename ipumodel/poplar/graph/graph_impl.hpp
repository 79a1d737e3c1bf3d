// The implementation of a Graph: shared data, and the tiles it may use.
#pragma once

#include "poplar/graph/graph_data.hpp"

#include <poplar/Tensor.hpp>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace poplar {
class Graph;
} // namespace poplar

namespace ipumodel {

// Data needed only while a graph is built.
struct GraphBuilding {
  std::set<std::string> codeletFiles;
  std::unordered_map<std::string, std::uint32_t> typeIndex; // name as given
  // One-element constants connected to fields by value.
  std::map<std::pair<std::string, std::uint64_t>, VariableId> fieldConstants;
  std::map<std::string, VariableId> tileRegisters; // by name
};

class GraphImpl {
public:
  GraphImpl(std::shared_ptr<GraphData> data,
            std::shared_ptr<GraphBuilding> building, poplar::Target target,
            std::vector<TileId> tiles)
      : data(std::move(data)), building(std::move(building)),
        target(std::move(target)), tiles(std::move(tiles)),
        fromTopLevel_(invert(this->tiles)) {}

  const std::shared_ptr<GraphData> data;
  const std::shared_ptr<GraphBuilding> building;
  const poplar::Target target; // of this graph
  // Tiles of the top-level graph in the order of this one; empty means all.
  const std::vector<TileId> tiles;

  // Throws invalid_tile_mapping if this graph has no such tile; the message
  // begins with the result of use().
  template <class Use> TileId toTopLevel(unsigned tile, Use &&use) const {
    if (tile >= target.getNumTiles())
      failNoTile(tile, use());
    return tiles.empty() ? tile : tiles[tile];
  }
  // kNoTile if the tile is not part of this graph.
  TileId fromTopLevel(TileId tile) const;

  // Throws unless the tensor is valid and of this graph; the message begins
  // with `use`, as in "setTileMapping".
  const TensorData &check(const poplar::Tensor &tensor, const char *use) const;
  poplar::Tensor makeTensor(poplar::Type type, View view,
                            TensorPtr metadata = nullptr) const;
  // Not mapped, unless there is only one tile.
  VariableId addVariable(poplar::Type type, std::size_t numElements,
                         const poplar::DebugContext &debugContext,
                         Variable::Kind kind = Variable::Kind::variable);

  // The vertex type of that name, in any spelling; throws unknown_vertex_type.
  const abi::VertexType &codelet(const std::string &name) const;

private:
  static std::vector<TileId> invert(const std::vector<TileId> &tiles);
  [[noreturn]] void failNoTile(unsigned tile, const std::string &use) const;

  const std::vector<TileId> fromTopLevel_; // by top-level tile; may be shorter
};

// Throws poplar_error for a default-constructed graph.
GraphImpl &implOf(const poplar::Graph &graph);

// The variable's name, or one made from its number.
std::string nameOf(const GraphData &graph, VariableId variable);
// The name of the tensor's first variable.
std::string nameOf(const GraphData &graph, const TensorData &tensor);

// "file:line " of the place; empty if unknown.
std::string prefixOf(const poplar::SourceLocation &location);

} // namespace ipumodel
