#include "graph/taps/tile_parts.hpp"

#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace popscope::graph {
namespace {

// Elements of each part in order, of a tensor that is spread over many tiles.
std::vector<std::vector<poplar::Interval>>
partsOf(std::size_t items, std::size_t itemElements, std::size_t limit) {
  poplar::IPUModel model;
  model.tilesPerIPU = 37;
  const poplar::Device device = model.createDevice();
  poplar::Graph graph(device.getTarget());
  const poplar::Tensor tensor =
      graph.addVariable(poplar::FLOAT, {items, itemElements});
  poputil::mapTensorLinearly(graph, tensor);
  std::vector<std::vector<poplar::Interval>> parts;
  for (const TilePart &part : tileParts(graph, tensor, limit)) {
    parts.emplace_back();
    for (const auto &region : part.regions)
      parts.back().insert(parts.back().end(), region.begin(), region.end());
  }
  return parts;
}

bool mixItems(const std::vector<std::vector<poplar::Interval>> &parts,
              std::size_t itemElements) {
  return std::any_of(parts.begin(), parts.end(), [&](const auto &part) {
    return part.front().begin() / itemElements !=
           (part.back().end() - 1) / itemElements;
  });
}

TEST(TileParts, StayInsideItemsIfAsked) {
  constexpr std::size_t kItem = 5000, kItems = 20;
  EXPECT_TRUE(mixItems(partsOf(kItems, kItem, 0), kItem));
  const auto parts = partsOf(kItems, kItem, kItem);
  EXPECT_FALSE(mixItems(parts, kItem));
  std::size_t next = 0; // every element once
  for (const auto &part : parts)
    for (const poplar::Interval &interval : part) {
      EXPECT_EQ(interval.begin(), next);
      next = interval.end();
    }
  EXPECT_EQ(next, kItem * kItems);
}

TEST(TileParts, AreNotMadeTinyBySmallItems) {
  EXPECT_EQ(partsOf(2000, 50, 50), partsOf(2000, 50, 0));
}

} // namespace
} // namespace popscope::graph
