// The estimated data movement between tiles, for the profile.
#pragma once

#include "poplar/graph/graph_data.hpp"

#include <cstdint>
#include <unordered_map>

namespace ipumodel {

// Bytes that a tile receives and sends.
struct Traffic {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

struct TileTraffic {
  Traffic all;
  Traffic betweenIpus; // total of all tiles
};

class Exchange {
public:
  explicit Exchange(const GraphData &graph) : graph_(graph) {}

  // Copies elements of `src` to the tiles of `dst`. If the views are too
  // scattered to compare run by run, all elements count as moved.
  void addCopy(const View &dst, const View &src, std::size_t elementSize);
  // Moves the elements of an edge to, or from, the tile of its vertex.
  void addEdge(const Edge &edge, std::size_t elementSize, TileId vertexTile,
               abi::Direction direction);
  // Moves all elements from or to the host.
  void addFromHost(const View &view, std::size_t elementSize);
  void addToHost(const View &view, std::size_t elementSize);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t bytesBetweenIpus() const { return betweenIpus_; }
  const std::unordered_map<TileId, TileTraffic> &tiles() const {
    return tiles_;
  }
  // Cycles of the tile that receives most, at the target's exchange rate.
  std::uint64_t cycles() const;
  std::uint64_t cyclesFor(std::uint64_t bytes) const;

private:
  void move(TileId from, TileId to, std::uint64_t bytes);
  void spreadEvenly(std::uint64_t bytes);
  void addHostTransfer(const View &view, std::size_t elementSize,
                       std::uint64_t Traffic::*direction);

  const GraphData &graph_;
  std::uint64_t bytes_ = 0;
  std::uint64_t betweenIpus_ = 0;
  std::unordered_map<TileId, TileTraffic> tiles_;
};

} // namespace ipumodel
