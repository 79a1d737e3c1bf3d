#include "small_device.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <gtest/gtest.h>

using namespace poputil;
using namespace poplar;
using Method = TensorUseTracker::MappingMethod;

namespace {

class UseTracker : public testing::Test {
protected:
  Mapping mappingOf(const Tensor &t) { return graph.getTileMapping(t); }

  SmallDevice device{4};
  Graph &graph = device.graph;
  TensorUseTracker tracker{4};
};

TEST_F(UseTracker, WhatOneTileUsesGoesThere) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  tracker.add(graph, 2, t.slice(0, 5));
  tracker.add(graph, 0, t.slice(5, 12));
  tracker.mapTensorsByUse(graph, 1, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{5, 12}}, {}, {{0, 5}}}));
}

TEST_F(UseTracker, WhatSeveralTilesUseIsSpreadOverThem) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  for (const unsigned tile : {3u, 1u, 2u})
    tracker.add(graph, tile, t);
  tracker.mapTensorsByUse(graph, 2, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{}, {{0, 4}}, {{4, 8}}, {{8, 12}}}));
}

TEST_F(UseTracker, AMinimumLeavesTilesWithoutElements) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  for (unsigned tile = 0; tile < 4; ++tile)
    tracker.add(graph, tile, t);
  tracker.mapTensorsByUse(graph, 1, 6);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 6}}, {{6, 12}}}));
}

TEST_F(UseTracker, AGrainGoesToTheFirstOfItsUsers) {
  const Tensor t = graph.addVariable(FLOAT, {10});
  tracker.add(graph, 0, t.slice(0, 5));
  tracker.add(graph, 1, t.slice(5, 10));
  tracker.mapTensorsByUse(graph, 4, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 8}}, {{8, 10}}}));
}

TEST_F(UseTracker, ConstrainedGrainsStayWithTheirUsers) {
  const Tensor t = graph.addVariable(FLOAT, {10});
  tracker.add(graph, 0, t.slice(0, 5));
  tracker.add(graph, 1, t.slice(5, 10));
  tracker.mapTensorsByUse(graph, 4, 0, false,
                          Method::ConstrainMappingToUsedTiles);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 5}}, {{5, 10}}}));
}

TEST_F(UseTracker, ConstrainedRegionsWithCommonUsersAreOne) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  tracker.add(graph, 0, t.slice(0, 8));
  tracker.add(graph, 1, t.slice(4, 12));
  tracker.mapTensorsByUse(graph, 2, 0, false,
                          Method::ConstrainMappingToUsedTiles);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 6}}, {{6, 12}}}));
}

TEST_F(UseTracker, AHaloFollowsTheRegionBeforeIt) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  tracker.add(graph, 0, t.slice(0, 8));
  tracker.add(graph, 1, t.slice(4, 12));
  TensorUseTracker plain = tracker;
  plain.mapTensorsByUse(graph, 1, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 6}}, {{6, 12}}}));
  tracker.mapTensorsByUse(graph, 1, 0, false, Method::OptimizeHaloRegions);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 8}}, {{8, 12}}}));
}

TEST_F(UseTracker, AHaloCanLieWithinOneTilesRegion) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  tracker.add(graph, 0, t);
  tracker.add(graph, 1, t.slice(4, 8));
  tracker.mapTensorsByUse(graph, 1, 0, false, Method::OptimizeHaloRegions);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 12}}}));
}

TEST_F(UseTracker, PartialUseLeavesTheRestUnmappedUnlessExtended) {
  const Tensor t = graph.addVariable(FLOAT, {12});
  tracker.add(graph, 0, t.slice(2, 4));
  tracker.add(graph, 1, t.slice(7, 8));
  TensorUseTracker partial = tracker;
  partial.mapTensorsByUse(graph, 1, 0);
  EXPECT_THROW(mappingOf(t), poplar_error);
  tracker.mapTensorsByUse(graph, 1, 0, true);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 7}}, {{7, 12}}}));
}

TEST_F(UseTracker, RepeatedUseCountsOnce) {
  const Tensor t = graph.addVariable(FLOAT, {8});
  tracker.add(graph, 0, t);
  tracker.add(graph, 0, t.slice(2, 6));
  tracker.add(graph, 1, t);
  tracker.mapTensorsByUse(graph, 1, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{0, 4}}, {{4, 8}}}));
}

TEST_F(UseTracker, TransposedAndBroadcastUsesCountTheirElements) {
  const Tensor t = graph.addVariable(FLOAT, {2, 4});
  tracker.add(graph, 3, t.transpose().slice(0, 4, 0));
  const Tensor u = graph.addVariable(FLOAT, {4});
  tracker.add(graph, 1, u.broadcast(3, 0));
  tracker.mapTensorsByUse(graph, 1, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{}, {}, {}, {{0, 8}}}));
  EXPECT_EQ(mappingOf(u), onTiles(4, {{}, {{0, 4}}}));
}

TEST_F(UseTracker, ConstantsAreNotTracked) {
  tracker.add(graph, 0, graph.addConstant(FLOAT, {4}, 1.0f));
  EXPECT_TRUE(tracker.empty());
  tracker.add(graph, 0, graph.addVariable(FLOAT, {4}));
  EXPECT_FALSE(tracker.empty());
}

TEST_F(UseTracker, ResolvedUsesAreKeptWhenAdded) {
  const Tensor t = graph.addVariable(FLOAT, {2, 8});
  for (unsigned row = 0; row < 2; ++row) {
    TensorUseTracker ofRow(4);
    for (unsigned tile = 0; tile < 4; ++tile)
      ofRow.add(graph, tile, t[row]);
    ofRow.resolve(graph, 2, 0);
    tracker.add(std::move(ofRow));
  }
  tracker.mapTensorsByUse(graph, 2, 0);
  for (unsigned row = 0; row < 2; ++row)
    EXPECT_EQ(mappingOf(t[row]),
              (Mapping{{{0, 2}}, {{2, 4}}, {{4, 6}}, {{6, 8}}}));
}

TEST_F(UseTracker, MappingStartsAtTheStartTile) {
  const Tensor t = graph.addVariable(FLOAT, {4});
  TensorUseTracker shifted(4, 3), reversed(4, 1, false);
  for (unsigned tile = 0; tile < 2; ++tile) {
    shifted.add(graph, tile, t);
    reversed.add(graph, tile, t);
  }
  shifted.mapTensorsByUse(graph, 1, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{{2, 4}}, {}, {}, {{0, 2}}}));
  reversed.mapTensorsByUse(graph, 1, 0);
  EXPECT_EQ(mappingOf(t), onTiles(4, {{}, {}, {{2, 4}}, {{0, 2}}}));
}

TEST_F(UseTracker, UnknownTilesThrow) {
  const Tensor t = graph.addVariable(FLOAT, {4});
  EXPECT_THROW(tracker.add(graph, 4, t), poplibs_error);
  EXPECT_THROW(tracker.add(TensorUseTracker(5)), poplibs_error);
}

} // namespace
