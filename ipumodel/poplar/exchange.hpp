// How much data has to move between tiles; an estimate for the profile.
#pragma once

#include "poplar/graph_data.hpp"

#include <cstdint>
#include <unordered_map>

namespace ipumodel {

// Bytes that reach and leave a tile.
struct Traffic {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

struct TileTraffic {
  Traffic all;
  Traffic betweenIpus; // of all
};

class Exchange {
public:
  explicit Exchange(const GraphData &graph) : graph_(graph) {}

  // Elements of `src` go to where `dst` lies. Views too scattered to be looked
  // up run by run count as moving entirely.
  void addCopy(const View &dst, const View &src, std::size_t elementSize);
  // The elements of an edge come to, or from, the tile of its vertex.
  void addEdge(const Edge &edge, std::size_t elementSize, TileId vertexTile,
               abi::Direction direction);
  // All elements come from the host, or go to it.
  void addFromHost(const View &view, std::size_t elementSize);
  void addToHost(const View &view, std::size_t elementSize);

  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t bytesBetweenIpus() const { return betweenIpus_; }
  const std::unordered_map<TileId, TileTraffic> &tiles() const {
    return tiles_;
  }
  // Of the tile that receives most, at the target's exchange rate.
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
