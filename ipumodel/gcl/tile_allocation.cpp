#include <gcl/TileAllocation.hpp>
#include <poputil/exceptions.hpp>

#include <algorithm>
#include <numeric>
#include <string>

namespace gcl {

unsigned getMinIoTiles(const poplar::Graph &graph) {
  constexpr unsigned kMinIoTiles = 32; // on all IPUs so far
  return std::min(kMinIoTiles, graph.getTarget().getTilesPerIPU());
}

// All tiles of the model are equally far from everything, so their natural
// order is as good as any.
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset,
                                  unsigned count, bool, bool tilePairs) {
  const unsigned tiles = graph.getTarget().getTilesPerIPU();
  if (offset > tiles || count > tiles - offset)
    throw poputil::poplibs_error(
        "perIPUTiles: an IPU has " + std::to_string(tiles) + " tiles, not " +
        std::to_string(count) + " from tile " + std::to_string(offset));
  if (tilePairs && (offset % 2 || count % 2))
    throw poputil::poplibs_error("perIPUTiles: " + std::to_string(count) +
                                 " tiles from tile " + std::to_string(offset) +
                                 " are not pairs");
  std::vector<unsigned> result(count);
  std::iota(result.begin(), result.end(), offset);
  return result;
}

} // namespace gcl
