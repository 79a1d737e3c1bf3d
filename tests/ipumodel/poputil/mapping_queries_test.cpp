#include "small_device.hpp"

#include <poputil/TileMapping.hpp>

#include <gtest/gtest.h>
#include <random>

using namespace poputil;
using namespace poplar;

namespace {

// Compares the tiles of elements pair by pair.
bool splitByDefinition(const Graph &graph, const Tensor &t, unsigned dim,
                       unsigned tilesPerPlace) {
  std::vector<unsigned> place(t.numElements());
  const auto mapping = graph.getTileMapping(t);
  for (unsigned tile = 0; tile < mapping.size(); ++tile)
    for (const Interval &interval : mapping[tile])
      for (auto i = interval.begin(); i < interval.end(); ++i)
        place[i] = tile / tilesPerPlace;
  std::size_t stride = 1;
  for (unsigned d = dim + 1; d < t.rank(); ++d)
    stride *= t.dim(d);
  for (std::size_t i = 0; i < place.size(); ++i)
    if (i / stride % t.dim(dim) != 0 && place[i] != place[i - stride])
      return true;
  return false;
}

TEST(DimIsSplit, ColumnsOnTilesSplitOnlyTheColumnIndex) {
  SmallDevice device(2, 2);
  Graph &graph = device.graph;
  const Tensor t = graph.addVariable(FLOAT, {3, 4});
  for (unsigned column = 0; column < 4; ++column)
    graph.setTileMapping(t.slice(column, column + 1, 1), column);
  EXPECT_FALSE(dimIsSplitOverTiles(graph, t, 0));
  EXPECT_TRUE(dimIsSplitOverTiles(graph, t, 1));
  EXPECT_FALSE(dimIsSplitOverIPUs(graph, t, 0));
  EXPECT_TRUE(dimIsSplitOverIPUs(graph, t, 1));
  EXPECT_FALSE(dimIsSplitOverIPUs(graph, t.slice(0, 2, 1), 1));
  EXPECT_TRUE(dimIsSplitOverTiles(graph, t.slice(0, 2, 1), 1));
}

TEST(DimIsSplit, OneIpuIsNeverSplit) {
  SmallDevice device(4);
  const Tensor t = device.graph.addVariable(FLOAT, {4, 64});
  mapTensorLinearly(device.graph, t);
  EXPECT_TRUE(dimIsSplitOverTiles(device.graph, t, 0));
  EXPECT_FALSE(dimIsSplitOverIPUs(device.graph, t, 0));
}

TEST(DimIsSplit, AgreesWithComparingNeighbours) {
  SmallDevice device(2, 2);
  Graph &graph = device.graph;
  const Tensor t = graph.addVariable(FLOAT, {2, 3, 4});
  std::mt19937 random(7);
  unsigned split = 0, whole = 0;
  for (unsigned round = 0; round < 200; ++round) {
    // Mapped along one dimension, then a box is moved to another tile.
    const unsigned along = random() % 3;
    for (std::size_t i = 0; i < t.dim(along); ++i)
      graph.setTileMapping(t.slice(i, i + 1, along), random() % 4);
    if (random() % 2) {
      const unsigned dim = random() % 3;
      const auto begin = random() % t.dim(dim);
      graph.setTileMapping(t.slice(begin, t.dim(dim), dim), random() % 4);
    }
    for (unsigned dim = 0; dim < 3; ++dim) {
      const bool overTiles = splitByDefinition(graph, t, dim, 1);
      EXPECT_EQ(dimIsSplitOverTiles(graph, t, dim), overTiles);
      EXPECT_EQ(dimIsSplitOverIPUs(graph, t, dim),
                splitByDefinition(graph, t, dim, 2));
      ++(overTiles ? split : whole);
    }
  }
  EXPECT_GT(split, 50u);
  EXPECT_GT(whole, 50u);
}

TEST(DimIsSplit, EmptyAndSingularDimensionsAreNot) {
  SmallDevice device(4);
  Graph &graph = device.graph;
  EXPECT_FALSE(dimIsSplitOverTiles(graph, graph.addVariable(FLOAT, {0, 3}), 0));
  const Tensor t = graph.addVariable(FLOAT, {1, 128});
  mapTensorLinearly(graph, t);
  EXPECT_FALSE(dimIsSplitOverTiles(graph, t, 0));
}

TEST(TileImbalance, CountsElementsAboveAnEvenSpread) {
  // Ten elements on four tiles: three are expected on the fullest.
  const Mapping mapping = {{{0, 6}}, {{6, 7}, {8, 10}}, {{7, 8}}, {}};
  EXPECT_EQ(getTileImbalance(mapping), 3u);
  EXPECT_EQ(getTileImbalance(mapping, 5), 1u);
  EXPECT_EQ(getTileImbalance(mapping, 0, 8), 0u);
  EXPECT_EQ(getTileImbalance(Mapping{}), 0u);
}

TEST(TileImbalance, OfATensorIsThatOfItsMapping) {
  SmallDevice device(4);
  const Tensor t = device.graph.addVariable(FLOAT, {3, 4});
  device.graph.setTileMapping(t, 2);
  EXPECT_EQ(getTileImbalance(device.graph, t.transpose()), 9u);
  mapTensorLinearly(device.graph, t, 0, 1);
  EXPECT_EQ(getTileImbalance(device.graph, t), 0u);
}

} // namespace
