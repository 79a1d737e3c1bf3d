#include "poplar/graph/tensor_checks.hpp"

#include <poplar/Graph.hpp>

#include <set>

namespace poplar {

using ipumodel::GraphImpl;
using ipumodel::implOf;
using ipumodel::kNoTile;
using ipumodel::rangeText;
using ipumodel::TileId;

namespace {

std::string tileText(unsigned tile, unsigned tilesPerIPU) {
  return "tile " + std::to_string(tile) + " (IPU " +
         std::to_string(tile / tilesPerIPU) + ")";
}

std::string coverText(const Target &target) {
  return "the graph covers tiles " + rangeText(0, target.getNumTiles()) +
         " of " + std::to_string(target.getNumIPUs()) + " IPUs with " +
         std::to_string(target.getTilesPerIPU()) + " tiles each";
}

// A graph of the given tiles of this one, equally many on each of its IPUs.
Graph select(const GraphImpl &impl, const std::vector<unsigned> &tiles,
             unsigned numIPUs) {
  std::vector<TileId> topLevel;
  topLevel.reserve(tiles.size());
  for (const unsigned tile : tiles)
    topLevel.push_back(
        impl.toTopLevel(tile, [] { return "createVirtualGraph"; }));
  const auto tilesPerIPU = static_cast<unsigned>(tiles.size() / numIPUs);
  return Graph(std::make_shared<GraphImpl>(
      impl.data, impl.building,
      impl.target.createVirtualTarget(numIPUs, tilesPerIPU),
      std::move(topLevel)));
}

} // namespace

Graph Graph::createVirtualGraph(unsigned numTilesPerIPU) {
  std::vector<unsigned> tiles(numTilesPerIPU);
  std::iota(tiles.begin(), tiles.end(), 0u);
  return createVirtualGraph(tiles);
}

Graph Graph::createVirtualGraph(unsigned lowerTile, unsigned upperTile) {
  const GraphImpl &impl = implOf(*this);
  const unsigned tilesPerIPU = impl.target.getTilesPerIPU();
  const auto fail = [&](const std::string &reason) {
    throw poplar_error("createVirtualGraph: tiles " +
                       rangeText(lowerTile, upperTile) + " " + reason + "; " +
                       coverText(impl.target));
  };
  if (lowerTile >= upperTile)
    fail("are none");
  if (upperTile > impl.target.getNumTiles())
    fail("go beyond the last one, there is no " +
         tileText(upperTile - 1, tilesPerIPU));
  const bool insideOne =
      lowerTile / tilesPerIPU == (upperTile - 1) / tilesPerIPU;
  const bool whole =
      lowerTile % tilesPerIPU == 0 && upperTile % tilesPerIPU == 0;
  if (!insideOne && !whole)
    fail("are neither part of one IPU nor whole IPUs, they go from " +
         tileText(lowerTile, tilesPerIPU) + " to " +
         tileText(upperTile - 1, tilesPerIPU));
  std::vector<unsigned> tiles(upperTile - lowerTile);
  std::iota(tiles.begin(), tiles.end(), lowerTile);
  return select(impl, tiles,
                insideOne ? 1 : (upperTile - lowerTile) / tilesPerIPU);
}

Graph Graph::createVirtualGraph(const std::vector<unsigned> &perIpuTiles) {
  const GraphImpl &impl = implOf(*this);
  const unsigned tilesPerIPU = impl.target.getTilesPerIPU();
  const unsigned numIPUs = impl.target.getNumIPUs();
  if (perIpuTiles.empty())
    throw poplar_error("createVirtualGraph: no tiles");
  std::set<unsigned> seen;
  std::vector<unsigned> tiles;
  for (unsigned ipu = 0; ipu < numIPUs; ++ipu)
    for (const unsigned tile : perIpuTiles) {
      if (tile >= tilesPerIPU)
        throw poplar_error("createVirtualGraph: there is no tile " +
                           std::to_string(tile) + " on IPU " +
                           std::to_string(ipu) + ", " + coverText(impl.target));
      if (!seen.insert(ipu * tilesPerIPU + tile).second)
        throw poplar_error("createVirtualGraph: tile " + std::to_string(tile) +
                           " of IPU " + std::to_string(ipu) +
                           " is listed twice");
      tiles.push_back(ipu * tilesPerIPU + tile);
    }
  return select(impl, tiles, numIPUs);
}

Graph Graph::getTopLevelGraph() {
  const GraphImpl &impl = implOf(*this);
  return Graph(std::make_shared<GraphImpl>(
      impl.data, impl.building, impl.data->target, std::vector<TileId>()));
}

unsigned Graph::convertTileToTopLevelGraphTile(unsigned tile) const {
  return implOf(*this).toTopLevel(
      tile, [] { return "convertTileToTopLevelGraphTile"; });
}

unsigned Graph::convertTopLevelGraphTileToTile(unsigned tile) const {
  const GraphImpl &impl = implOf(*this);
  const Target &top = impl.data->target;
  const TileId found =
      tile < top.getNumTiles() ? impl.fromTopLevel(tile) : kNoTile;
  if (found == kNoTile)
    throw invalid_tile_mapping(
        "convertTopLevelGraphTileToTile: " +
        tileText(tile, top.getTilesPerIPU()) +
        " of the top-level graph is not in this graph; " +
        coverText(impl.target));
  return found;
}

// The tiles of the top-level graph are the physical ones: the model does not
// reorder tiles.
unsigned Graph::convertVirtualTileToPhysicalTile(unsigned virtualTile) const {
  return convertTileToTopLevelGraphTile(virtualTile);
}

unsigned Graph::convertPhysicalTileToVirtualTile(unsigned physicalTile) const {
  return convertTopLevelGraphTileToTile(physicalTile);
}

unsigned Graph::convertPhysicalTileToVirtualTile(unsigned ipu,
                                                 unsigned physicalTile) const {
  const Target &top = implOf(*this).data->target;
  if (physicalTile >= top.getTilesPerIPU())
    throw invalid_tile_mapping(
        "convertPhysicalTileToVirtualTile: there is no tile " +
        std::to_string(physicalTile) + " on IPU " + std::to_string(ipu) + "; " +
        coverText(top));
  return convertTopLevelGraphTileToTile(ipu * top.getTilesPerIPU() +
                                        physicalTile);
}

} // namespace poplar
