#include "graph/tile_split.hpp"

namespace popscope::graph {

poplar::Interval tileShare(const poplar::Graph &graph, std::size_t count,
                           unsigned tile) {
  const std::size_t tiles = graph.getTarget().getNumTiles();
  return {count * tile / tiles, count * (tile + 1) / tiles};
}

void mapAlong(poplar::Graph &graph, const poplar::Tensor &tensor,
              unsigned dimension) {
  const unsigned tiles = graph.getTarget().getNumTiles();
  for (unsigned tile = 0; tile < tiles; ++tile) {
    const auto share = tileShare(graph, tensor.dim(dimension), tile);
    if (share.size() != 0)
      graph.setTileMapping(tensor.slice(share, dimension), tile);
  }
}

} // namespace popscope::graph
