#include "small_device.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poputil;
using namespace poplar;
using poplar::program::Copy;
using poplar::program::Sequence;
using testing::ElementsAre;

namespace {

// Tiles per IPU; element i is on tile i.
constexpr unsigned kTiles = 3;

class TwoIpus : public testing::Test {
protected:
  Tensor oneElementPerTile() {
    const Tensor t = device.counting({2 * kTiles});
    for (unsigned i = 0; i < t.numElements(); ++i)
      graph.setTileMapping(t[i], i);
    return t;
  }

  SmallDevice device{kTiles, 2};
  Graph &graph = device.graph;
};

TEST_F(TwoIpus, ACloneKeepsTheTileWithinTheIpu) {
  const Tensor t = oneElementPerTile();
  const Tensor clone = cloneToIpu(graph, t, 1);
  for (unsigned i = 0; i < t.numElements(); ++i)
    EXPECT_FALSE(graph.getTileMapping(clone[i])[kTiles + i % kTiles].empty());
  EXPECT_FALSE(clone.intersectsWith(t));
}

TEST_F(TwoIpus, ACopyHoldsTheValuesOnTheOtherIpu) {
  const Tensor t = oneElementPerTile();
  Sequence prog;
  const Tensor copy = copyToIpu(graph, t.reshape({2, 3}).transpose(), prog, 0);
  EXPECT_EQ(copy.shape(), (std::vector<std::size_t>{3, 2}));
  EXPECT_THAT(device.valuesAfter(prog, copy), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST_F(TwoIpus, ACopyThatKeepsAliasesMovesEachElementOnce) {
  const Tensor t = oneElementPerTile().slice(0, 3).broadcast(2, 0);
  Tensor src, dst;
  const Tensor clone = createIpuCopy(graph, t, 1, src, dst);
  EXPECT_TRUE(clone.containsAliases());
  EXPECT_EQ(src.numElements(), 3u);
  EXPECT_EQ(dst.numElements(), 3u);
  EXPECT_TRUE(dst.isParallelWriteable());
  EXPECT_THAT(device.valuesAfter(Copy(src, dst), clone),
              ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST_F(TwoIpus, AMissingIpuThrows) {
  const Tensor t = oneElementPerTile();
  Sequence prog;
  Tensor src, dst;
  EXPECT_THROW(cloneToIpu(graph, t, 2), poplibs_error);
  EXPECT_THROW(copyToIpu(graph, t, prog, 2), poplibs_error);
  EXPECT_THROW(createIpuCopy(graph, t, 2, src, dst), poplibs_error);
}

TEST(CloneToGraph, KeepsTheTileWithinTheGraph) {
  SmallDevice device(6);
  Graph first = device.graph.createVirtualGraph(0, 2);
  Graph second = device.graph.createVirtualGraph(2, 6);
  const Tensor t = first.addVariable(FLOAT, {10});
  mapTensorLinearly(first, t, 1, 1);
  const Tensor clone = cloneToGraph(first, second, t);
  EXPECT_EQ(second.getTileMapping(clone), onTiles(4, first.getTileMapping(t)));
}

TEST(CloneToGraph, AGraphWithoutTheTilesThrows) {
  SmallDevice device(6);
  Graph first = device.graph.createVirtualGraph(0, 4);
  Graph second = device.graph.createVirtualGraph(4, 6);
  const Tensor t = first.addVariable(FLOAT, {10});
  mapTensorLinearly(first, t, 1, 1);
  EXPECT_THROW(cloneToGraph(first, second, t), poplibs_error);
}

TEST(CloneToGraph, AGraphOfOtherReplicationThrows) {
  SmallDevice device(2, 2);
  Graph replicated(device.graph.getTarget(), replication_factor(2));
  const Tensor t = device.counting({4});
  EXPECT_THROW(cloneToGraph(device.graph, replicated, t), poplibs_error);
}

TEST(ExpandAliasing, RepeatedElementsAreMappedLinearlyFromTheOffset) {
  SmallDevice device(8);
  const Tensor t = device.graph.addVariable(FLOAT, {3});
  for (unsigned i = 0; i < 3; ++i)
    device.graph.setTileMapping(t[i], i);
  const Tensor aliased = concat({t, t.slice(1, 3), t.slice(0, 1)});
  const auto result = cloneAndExpandAliasing(device.graph, aliased, 6);
  EXPECT_FALSE(result.first.containsAliases());
  EXPECT_EQ(result.second, 7u);
  EXPECT_EQ(device.graph.getTileMapping(result.first),
            (Mapping{{{0, 1}}, {{1, 2}}, {{2, 3}}, {}, {}, {}, {{3, 6}}, {}}));
}

TEST(ExpandAliasing, WithoutAliasesIsAClone) {
  SmallDevice device(8);
  const Tensor t = device.graph.addVariable(FLOAT, {2, 3});
  device.graph.setTileMapping(t, 5);
  const auto result = cloneAndExpandAliasing(device.graph, t, 6);
  EXPECT_EQ(result.first.shape(), t.shape());
  EXPECT_EQ(result.second, 6u);
  EXPECT_EQ(device.graph.getTileMapping(result.first),
            device.graph.getTileMapping(t));
}

} // namespace
