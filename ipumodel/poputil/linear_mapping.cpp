// Linear mappings of tensors over consecutive tiles.
#include <gccs/Algorithm.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <cstdint>
#include <functional>
#include <numeric>

namespace poputil {

using poplar::Graph;
using poplar::Target;
using poplar::Tensor;
using Mapping = Graph::TileToTensorMapping;

namespace {

// A tile with any elements gets at least this many bytes: for less, the
// exchange of a message costs more than its payload.
constexpr std::size_t kMinBytesPerTile = 128;

} // namespace

std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const Target &target, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize,
                      unsigned offset, bool ascendingOrder) {
  const auto numTiles = target.getNumTiles();
  const auto numElements = std::accumulate(shape.begin(), shape.end(),
                                           std::size_t(1), std::multiplies<>());
  const std::vector<poplar::Interval> whole = {{0, numElements}};
  auto chunks = splitRegions(whole, grainSize, numTiles, minElementsPerTile);
  if (offset == 0 && ascendingOrder)
    return chunks;

  Mapping mapping(numTiles);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const auto tile = (offset + i) % numTiles;
    mapping[ascendingOrder ? tile : numTiles - 1 - tile] = std::move(chunks[i]);
  }
  return mapping;
}

std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const Graph &graph, std::vector<std::size_t> shape,
                      unsigned minElementsPerTile, unsigned grainSize,
                      unsigned offset, bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), std::move(shape),
                               minElementsPerTile, grainSize, offset,
                               ascendingOrder);
}

std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const Target &target, std::vector<std::size_t> shape,
                      poplar::Type elementType, unsigned offset,
                      bool ascendingOrder) {
  return calcLinearTileMapping(
      target, std::move(shape),
      gccs::ceildiv(kMinBytesPerTile, target.getTypeSize(elementType)),
      target.getVectorWidth(elementType), offset, ascendingOrder);
}

std::vector<std::vector<poplar::Interval>>
calcLinearTileMapping(const Graph &graph, const Tensor &t, unsigned offset,
                      bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), t.shape(), t.elementType(),
                               offset, ascendingOrder);
}

std::pair<Mapping, unsigned>
calcLinearTileMappingAndNewOffset(const Graph &graph, const Tensor &t,
                                  unsigned offset) {
  const auto numTiles = graph.getTarget().getNumTiles();
  const auto chunks = calcLinearTileMapping(graph, t);
  Mapping mapping(numTiles);
  for (std::size_t i = 0; i < chunks.size(); ++i)
    mapping[(offset + i) % numTiles] = chunks[i];
  return {mapping, (offset + chunks.size()) % numTiles};
}

void mapTensorLinearlyWithOffset(Graph &graph, const Tensor &t,
                                 unsigned minElementsPerTile,
                                 unsigned grainSize, unsigned offset,
                                 bool ascendingOrder) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t.shape(),
                                                minElementsPerTile, grainSize,
                                                offset, ascendingOrder));
}

void mapTensorLinearlyWithOffset(Graph &graph, const Tensor &t, unsigned offset,
                                 bool ascendingOrder) {
  graph.setTileMapping(t,
                       calcLinearTileMapping(graph, t, offset, ascendingOrder));
}

void mapTensorLinearly(Graph &graph, const Tensor &t,
                       unsigned minElementsPerTile, unsigned grainSize) {
  mapTensorLinearlyWithOffset(graph, t, minElementsPerTile, grainSize, 0);
}

void mapTensorLinearly(Graph &graph, const Tensor &t) {
  mapTensorLinearlyWithOffset(graph, t);
}

std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape,
                                std::size_t seed) {
  if (numTiles == 0)
    throw poplibs_error("chooseMappingOffset: there are no tiles");
  // The mixing step of 64-bit MurmurHash2; programs depend on its values.
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t hash = seed;
  for (std::uint64_t size : shape) {
    size *= kFactor;
    size ^= size >> 47;
    size *= kFactor;
    hash = (hash ^ size) * kFactor + 0xe6546b64;
  }
  return hash % numTiles;
}

std::size_t chooseMappingOffset(std::size_t numTiles,
                                const std::vector<std::size_t> &shape) {
  return chooseMappingOffset(numTiles, shape, 0x9e3779b9);
}

unsigned transformTileIndex(unsigned tile, unsigned numTiles, unsigned offset,
                            bool ascending) {
  offset %= numTiles;
  return (ascending ? numTiles + tile - offset : 2 * numTiles - offset - tile) %
         numTiles;
}

unsigned invTransformTileIndex(unsigned tile, unsigned numTiles,
                               unsigned offset, bool ascending) {
  offset %= numTiles;
  return (ascending ? tile + offset : 2 * numTiles - offset - tile) % numTiles;
}

} // namespace poputil
