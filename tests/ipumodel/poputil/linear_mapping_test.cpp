#include "small_device.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poputil;
using namespace poplar;

namespace {

TEST(LinearMapping, KeepsAtLeast128BytesOnATile) {
  SmallDevice device(16);
  const Target &target = device.graph.getTarget();
  // 32 floats or 64 halves make 128 bytes.
  EXPECT_EQ(calcLinearTileMapping(target, {3, 32}, FLOAT),
            (Mapping{{{0, 32}}, {{32, 64}}, {{64, 96}}}));
  EXPECT_EQ(calcLinearTileMapping(target, {130}, HALF),
            (Mapping{{{0, 64}}, {{64, 130}}}));
  EXPECT_EQ(calcLinearTileMapping(target, {5}, FLOAT), (Mapping{{{0, 5}}}));
}

TEST(LinearMapping, SpreadsWholeVectorsOverAllTiles) {
  SmallDevice device(4);
  const Target &target = device.graph.getTarget();
  const std::size_t numElements = 1001;
  const auto mapping = calcLinearTileMapping(target, {numElements}, HALF);
  ASSERT_EQ(mapping.size(), 4u);
  std::size_t next = 0;
  for (const auto &intervals : mapping) {
    ASSERT_EQ(intervals.size(), 1u);
    EXPECT_EQ(intervals[0].begin(), next);
    EXPECT_EQ(next % target.getVectorWidth(HALF), 0u);
    next = intervals[0].end();
  }
  EXPECT_EQ(next, numElements);
}

TEST(LinearMapping, GrainAndMinimumCanBeChosen) {
  SmallDevice device(4);
  const Tensor t = device.graph.addVariable(INT, {2, 5});
  mapTensorLinearly(device.graph, t, 1, 1);
  EXPECT_EQ(device.graph.getTileMapping(t),
            (Mapping{{{0, 2}}, {{2, 5}}, {{5, 7}}, {{7, 10}}}));
  mapTensorLinearly(device.graph, t, 6, 1);
  EXPECT_EQ(device.graph.getTileMapping(t), onTiles(4, {{{0, 10}}}));
  mapTensorLinearly(device.graph, t, 0, 4);
  EXPECT_EQ(device.graph.getTileMapping(t),
            onTiles(4, {{{0, 4}}, {{4, 8}}, {{8, 10}}}));
}

TEST(LinearMapping, AnOffsetRotatesTheTiles) {
  SmallDevice device(4);
  const Target &target = device.graph.getTarget();
  const Interval first(0, 2), second(2, 4), third(4, 6);
  EXPECT_EQ(calcLinearTileMapping(target, {6}, 2, 2, 1),
            (Mapping{{}, {first}, {second}, {third}}));
  EXPECT_EQ(calcLinearTileMapping(target, {6}, 2, 2, 3),
            (Mapping{{second}, {third}, {}, {first}}));
  EXPECT_EQ(calcLinearTileMapping(target, {6}, 2, 2, 7),
            calcLinearTileMapping(target, {6}, 2, 2, 3));
}

TEST(LinearMapping, DescendingStartsAtTheLastTile) {
  SmallDevice device(4);
  const Target &target = device.graph.getTarget();
  const Interval first(0, 2), second(2, 4), third(4, 6);
  EXPECT_EQ(calcLinearTileMapping(target, {6}, 2, 2, 0, false),
            (Mapping{{}, {third}, {second}, {first}}));
  EXPECT_EQ(calcLinearTileMapping(target, {6}, 2, 2, 2, false),
            (Mapping{{second}, {first}, {}, {third}}));
}

TEST(LinearMapping, MapsTheTilesOfAVirtualGraph) {
  SmallDevice device(8);
  Graph upper = device.graph.createVirtualGraph(4, 8);
  const Tensor t = upper.addVariable(FLOAT, {64});
  mapTensorLinearlyWithOffset(upper, t, 1);
  EXPECT_EQ(device.graph.getTileMapping(t),
            (Mapping{{}, {}, {}, {}, {}, {{0, 32}}, {{32, 64}}, {}}));
}

TEST(LinearMapping, MappingAgainReplacesTheMapping) {
  SmallDevice device(4);
  const Tensor t = device.graph.addVariable(FLOAT, {64});
  device.graph.setTileMapping(t, 3);
  mapTensorLinearly(device.graph, t);
  EXPECT_EQ(device.graph.getTileMapping(t),
            onTiles(4, {{{0, 32}}, {{32, 64}}}));
}

TEST(LinearMapping, TheNewOffsetIsTheTileAfterTheLast) {
  SmallDevice device(4);
  const Tensor t = device.graph.addVariable(FLOAT, {96});
  const auto result = calcLinearTileMappingAndNewOffset(device.graph, t, 2);
  EXPECT_EQ(result.first, (Mapping{{{64, 96}}, {}, {{0, 32}}, {{32, 64}}}));
  EXPECT_EQ(result.second, 1u);
}

TEST(LinearMapping, AnEmptyTensorHasAnEmptyMapping) {
  SmallDevice device(4);
  EXPECT_TRUE(
      calcLinearTileMapping(device.graph.getTarget(), {3, 0}, FLOAT).empty());
}

TEST(MappingOffset, DependsOnShapeSeedAndTiles) {
  const auto offset = chooseMappingOffset(1000, {4, 64});
  EXPECT_LT(offset, 1000u);
  EXPECT_EQ(chooseMappingOffset(1000, {4, 64}), offset);
  EXPECT_NE(chooseMappingOffset(1000, {64, 4}), offset);
  EXPECT_NE(chooseMappingOffset(1000, {4, 64}, 1), offset);
  EXPECT_EQ(chooseMappingOffset(1, {4, 64}), 0u);
  EXPECT_THROW(chooseMappingOffset(0, {4, 64}), poplibs_error);
}

TEST(TileIndex, TransformsUndoEachOther) {
  const unsigned numTiles = 7;
  for (const bool ascending : {true, false})
    for (unsigned offset = 0; offset < numTiles; ++offset)
      for (unsigned tile = 0; tile < numTiles; ++tile)
        EXPECT_EQ(transformTileIndex(
                      invTransformTileIndex(tile, numTiles, offset, ascending),
                      numTiles, offset, ascending),
                  tile);
}

TEST(TileIndex, StartsAtTheOffsetAndRunsItsWay) {
  EXPECT_EQ(invTransformTileIndex(0, 8, 3, true), 3u);
  EXPECT_EQ(invTransformTileIndex(6, 8, 3, true), 1u);
  EXPECT_EQ(invTransformTileIndex(0, 8, 3, false), 5u);
  EXPECT_EQ(invTransformTileIndex(6, 8, 3, false), 7u);
}

} // namespace
