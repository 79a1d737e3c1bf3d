#include "poplar/operators/tile_registers.hpp"

#include "poplar/graph/graph_impl.hpp"

using namespace poplar;

namespace ipumodel {

Tensor tileRegister(const Graph &graph, const char *name,
                    std::size_t wordsPerTile) {
  GraphImpl &impl = implOf(graph);
  const unsigned numTiles = impl.data->target.getNumTiles();
  const auto [it, isNew] = impl.building->tileRegisters.emplace(name, 0);
  if (isNew) {
    it->second = impl.addVariable(UNSIGNED_INT, numTiles * wordsPerTile,
                                  DebugContext(name));
    TileMap &mapping = impl.data->variables[it->second].mapping;
    for (TileId tile = 0; tile < numTiles; ++tile)
      mapping.set(tile * wordsPerTile, (tile + 1) * wordsPerTile, tile);
  }
  Tensor all =
      impl.makeTensor(UNSIGNED_INT, View(it->second, {numTiles, wordsPerTile}));
  if (impl.tiles.empty())
    return all;
  return concat(all.slices(ArrayRef<unsigned>(impl.tiles)));
}

Tensor addTileWords(Graph &graph, ArrayRef<std::size_t> shape,
                    const DebugContext &debugContext) {
  Tensor words = graph.addVariable(UNSIGNED_INT, shape, debugContext);
  for (unsigned tile = 0; tile < words.dim(0); ++tile)
    graph.setTileMapping(words[tile], tile);
  return words;
}

} // namespace ipumodel
