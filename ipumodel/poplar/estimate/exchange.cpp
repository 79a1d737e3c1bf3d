#include "poplar/estimate/exchange.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

constexpr std::size_t kMaxRuns = 1 << 16;

std::size_t countRuns(const View &view) {
  std::size_t runs = 0;
  for (const Block &block : view.blocks()) {
    std::size_t count = 1;
    for (const BlockDim &dim : block.dims)
      count *= dim.extent;
    const BlockDim *last = block.dims.empty() ? nullptr : &block.dims.back();
    if (last && !last->loops.empty() && last->loops.back().stride == 1)
      count /= last->loops.back().count;
    runs += count;
  }
  return runs;
}

struct Placed {
  TileId tile;
  std::size_t count;
};

std::vector<Placed> placesOf(const GraphData &graph, const View &view) {
  std::vector<Placed> places;
  view.forEachRun([&](const Run &run) {
    graph.variables[run.variable].mapping.forEach(
        run.offset, run.offset + run.count,
        [&](std::size_t begin, std::size_t end, TileId tile) {
          if (!places.empty() && places.back().tile == tile)
            places.back().count += end - begin;
          else
            places.push_back({tile, end - begin});
        });
  });
  return places;
}

} // namespace

void Exchange::move(TileId from, TileId to, std::uint64_t bytes) {
  if (from == to || from == kNoTile || to == kNoTile)
    return;
  bytes_ += bytes;
  tiles_[from].all.out += bytes;
  tiles_[to].all.in += bytes;
  const unsigned tilesPerIpu = graph_.target.getTilesPerIPU();
  if (from / tilesPerIpu == to / tilesPerIpu)
    return;
  betweenIpus_ += bytes;
  tiles_[from].betweenIpus.out += bytes;
  tiles_[to].betweenIpus.in += bytes;
}

// Used when the real distribution is not known.
void Exchange::spreadEvenly(std::uint64_t bytes) {
  const unsigned numTiles = graph_.target.getNumTiles();
  const std::uint64_t share = (bytes + numTiles - 1) / numTiles;
  bytes_ += bytes;
  for (TileId tile = 0; tile < numTiles; ++tile) {
    tiles_[tile].all.in += share;
    tiles_[tile].all.out += share;
  }
}

void Exchange::addCopy(const View &dst, const View &src,
                       std::size_t elementSize) {
  if (countRuns(dst) + countRuns(src) > kMaxRuns) {
    spreadEvenly(dst.numElements() * elementSize);
    return;
  }
  const std::vector<Placed> to = placesOf(graph_, dst);
  const std::vector<Placed> from = placesOf(graph_, src);
  std::size_t i = 0, j = 0, usedTo = 0, usedFrom = 0;
  while (i < to.size() && j < from.size()) {
    const std::size_t count =
        std::min(to[i].count - usedTo, from[j].count - usedFrom);
    move(from[j].tile, to[i].tile, count * elementSize);
    if ((usedTo += count) == to[i].count) {
      ++i;
      usedTo = 0;
    }
    if ((usedFrom += count) == from[j].count) {
      ++j;
      usedFrom = 0;
    }
  }
}

void Exchange::addEdge(const Edge &edge, std::size_t elementSize,
                       TileId vertexTile, abi::Direction direction) {
  const auto add = [&](TileId tile, std::size_t count) {
    if (direction != abi::Direction::output)
      move(tile, vertexTile, count * elementSize);
    if (direction != abi::Direction::input)
      move(vertexTile, tile, count * elementSize);
  };
  if (edge.variable == Edge::kView) {
    const View &view = *graph_.edgeViews[edge.offset];
    if (countRuns(view) <= kMaxRuns)
      for (const Placed &place : placesOf(graph_, view))
        add(place.tile, place.count);
    return;
  }
  graph_.variables[edge.variable].mapping.forEach(
      edge.offset, edge.offset + edge.count,
      [&](std::size_t begin, std::size_t end, TileId tile) {
        add(tile, end - begin);
      });
}

void Exchange::addHostTransfer(const View &view, std::size_t elementSize,
                               std::uint64_t Traffic::*direction) {
  bytes_ += view.numElements() * elementSize;
  if (countRuns(view) > kMaxRuns) {
    const unsigned numTiles = graph_.target.getNumTiles();
    for (TileId tile = 0; tile < numTiles; ++tile)
      tiles_[tile].all.*direction +=
          view.numElements() * elementSize / numTiles;
    return;
  }
  for (const Placed &place : placesOf(graph_, view))
    if (place.tile != kNoTile)
      tiles_[place.tile].all.*direction += place.count * elementSize;
}

void Exchange::addFromHost(const View &view, std::size_t elementSize) {
  addHostTransfer(view, elementSize, &Traffic::in);
}

void Exchange::addToHost(const View &view, std::size_t elementSize) {
  addHostTransfer(view, elementSize, &Traffic::out);
}

std::uint64_t Exchange::cyclesFor(std::uint64_t bytes) const {
  const std::uint64_t rate =
      std::max(1u, graph_.target.getExchangeBytesPerCycle());
  return (bytes + rate - 1) / rate;
}

std::uint64_t Exchange::cycles() const {
  std::uint64_t most = 0;
  for (const auto &entry : tiles_)
    most = std::max(most, entry.second.all.in);
  return cyclesFor(most);
}

} // namespace ipumodel
