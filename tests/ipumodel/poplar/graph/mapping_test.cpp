#include "expect_error.hpp"

#include <poplar/Graph.hpp>

#include <gmock/gmock.h>

namespace {

using namespace poplar;
using testing::ElementsAre;
using testing::IsEmpty;

class MappingTest : public testing::Test {
protected:
  Graph graph{Target::createIPUTarget(2, 4, "ipu2")};
  Tensor t = graph.addVariable(FLOAT, {2, 6}, "w");
};

TEST_F(MappingTest, IsOfTheElementsUnderAView) {
  graph.setTileMapping(t.transpose(), 0);
  graph.setTileMapping(t.slice(0, 3, 1), 5);
  const auto mapping = graph.getTileMapping(t);
  ASSERT_EQ(mapping.size(), 8u);
  EXPECT_THAT(mapping[0], ElementsAre(Interval(3, 6), Interval(9, 12)));
  EXPECT_THAT(mapping[5], ElementsAre(Interval(0, 3), Interval(6, 9)));
}

TEST_F(MappingTest, MayBeGivenForFewerTilesThanThereAre) {
  graph.setTileMapping(t, {{{0, 6}}, {{6, 12}}});
  const auto mapping = graph.getTileMapping(t);
  EXPECT_THAT(mapping[1], ElementsAre(Interval(6, 12)));
  EXPECT_THAT(mapping[7], IsEmpty());
}

TEST_F(MappingTest, IncompleteIsAnErrorUnlessAllowed) {
  graph.setTileMapping(t.slice(0, 1), 2);
  expectError<invalid_tile_mapping>([&] { graph.getTileMapping(t); },
                                    {"'w'", "[6,12)", "not mapped"});
  EXPECT_THAT(graph.getTileMapping(t, false)[2], ElementsAre(Interval(0, 6)));
  bool complete = true;
  graph.getTileMapping(t, &complete);
  EXPECT_FALSE(complete);
  graph.getTileMapping(t.slice(0, 1), &complete);
  EXPECT_TRUE(complete);
}

TEST_F(MappingTest, LeavesConstantsOutWhenAskedFor) {
  graph.setTileMapping(t, 1);
  const Tensor one = graph.addConstant(FLOAT, {1, 6}, 1.0f, "one");
  const Tensor both = concat(t, one);
  expectError<invalid_tile_mapping>([&] { graph.getTileMapping(both); },
                                    {"[12,18)"});
  EXPECT_THAT(graph.getVariableTileMapping(both)[1],
              ElementsAre(Interval(0, 12)));
  graph.setTileMapping(one, 0);
  EXPECT_THAT(graph.getTileMapping(both)[0], ElementsAre(Interval(12, 18)));
}

TEST_F(MappingTest, RefusesTilesAndElementsThatDoNotExist) {
  expectError<invalid_tile_mapping>([&] { graph.setTileMapping(t, 8); },
                                    {"'w'", "tile 8", "IPU 2", "[0,8)"});
  expectError<invalid_tile_mapping>(
      [&] {
        graph.setTileMapping(t, {{}, {{10, 13}}});
      },
      {"'w'", "tile 1", "[10,13)", "12 elements"});
  Graph other(graph.getTarget());
  expectError<poplar_error>([&] { other.setTileMapping(t, 0); },
                            {"setTileMapping", "'w'", "another graph"});
}

TEST_F(MappingTest, SpreadsLinearVariablesEvenly) {
  const Tensor linear =
      graph.addVariable(FLOAT, {19}, VariableMappingMethod::LINEAR, "linear");
  std::size_t next = 0;
  for (const auto &intervals : graph.getTileMapping(linear)) {
    ASSERT_EQ(intervals.size(), 1u);
    EXPECT_EQ(intervals[0].begin(), next);
    EXPECT_THAT(intervals[0].size(), testing::AnyOf(2u, 3u));
    next = intervals[0].end();
  }
  EXPECT_EQ(next, 19u);
}

TEST(MappingOfOneTile, IsAutomatic) {
  Graph graph(Target::createCPUTarget());
  const Tensor t = graph.addVariable(INT, {3});
  EXPECT_THAT(graph.getTileMapping(t)[0], ElementsAre(Interval(0, 3)));
  const Tensor c = graph.addConstant(INT, {2}, 1);
  EXPECT_THAT(graph.getTileMapping(c)[0], ElementsAre(Interval(0, 2)));
}

class VirtualGraphTest : public testing::Test {
protected:
  Graph graph{Target::createIPUTarget(2, 4, "ipu2")};
};

TEST_F(VirtualGraphTest, NumbersItsOwnTiles) {
  Graph second = graph.createVirtualGraph(4, 8);
  EXPECT_EQ(second.getTarget().getNumTiles(), 4u);
  EXPECT_EQ(second.getTarget().getNumIPUs(), 1u);
  const Tensor t = second.addVariable(FLOAT, {2}, "t");
  second.setTileMapping(t, 1);
  EXPECT_THAT(graph.getTileMapping(t)[5], ElementsAre(Interval(0, 2)));
  EXPECT_EQ(second.convertTileToTopLevelGraphTile(3), 7u);
  EXPECT_EQ(second.convertTopLevelGraphTileToTile(4), 0u);
  EXPECT_EQ(second.convertVirtualTileToPhysicalTile(2), 6u);
  EXPECT_EQ(second.convertPhysicalTileToVirtualTile(6), 2u);
  EXPECT_EQ(second.convertPhysicalTileToVirtualTile(1, 3), 3u);
}

TEST_F(VirtualGraphTest, SharesTensorsBothWays) {
  Graph first = graph.createVirtualGraph(0, 4);
  const Tensor t = graph.addVariable(FLOAT, {2}, "t");
  graph.setTileMapping(t, 6);
  expectError<invalid_tile_mapping>([&] { first.getTileMapping(t); },
                                    {"'t'", "[0,2)", "outside"});
  for (const auto &intervals : first.getTileMapping(t, true, true))
    EXPECT_THAT(intervals, IsEmpty());
  first.setTileMapping(t, 3);
  EXPECT_THAT(graph.getTileMapping(t)[3], ElementsAre(Interval(0, 2)));
}

TEST_F(VirtualGraphTest, TakesTheFirstTilesOfEveryIpu) {
  Graph narrow = graph.createVirtualGraph(2);
  EXPECT_EQ(narrow.getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(narrow.getTarget().getTilesPerIPU(), 2u);
  EXPECT_EQ(narrow.convertTileToTopLevelGraphTile(2), 4u);
}

TEST_F(VirtualGraphTest, TakesListedTilesOfEveryIpuInTheirOrder) {
  Graph listed = graph.createVirtualGraph({3, 1});
  EXPECT_EQ(listed.convertTileToTopLevelGraphTile(0), 3u);
  EXPECT_EQ(listed.convertTileToTopLevelGraphTile(3), 5u);
  EXPECT_EQ(listed.convertTopLevelGraphTileToTile(1), 1u);
  expectError<invalid_tile_mapping>(
      [&] { listed.convertTopLevelGraphTileToTile(2); }, {"tile 2", "IPU 0"});
}

TEST_F(VirtualGraphTest, CanBeNested) {
  Graph inner = graph.createVirtualGraph(4, 8).createVirtualGraph(1, 3);
  EXPECT_EQ(inner.getTarget().getNumTiles(), 2u);
  EXPECT_EQ(inner.convertTileToTopLevelGraphTile(1), 6u);
  Graph top = inner.getTopLevelGraph();
  EXPECT_EQ(top.getTarget().getNumTiles(), 8u);
  const Tensor t = inner.addVariable(FLOAT, {1}, "t");
  inner.setTileMapping(t, 0);
  EXPECT_THAT(top.getTileMapping(t)[5], ElementsAre(Interval(0, 1)));
}

TEST_F(VirtualGraphTest, RefusesTilesItCannotHave) {
  expectError<poplar_error>([&] { graph.createVirtualGraph(6, 9); },
                            {"[6,9)", "tile 8", "IPU 2", "[0,8)"});
  expectError<poplar_error>([&] { graph.createVirtualGraph(2, 6); },
                            {"tile 2 (IPU 0)", "tile 5 (IPU 1)"});
  expectError<poplar_error>([&] { graph.createVirtualGraph(3, 3); }, {"[3,3)"});
  expectError<poplar_error>([&] { graph.createVirtualGraph(5); },
                            {"tile 4", "IPU 0", "4 tiles each"});
  expectError<poplar_error>(
      [&] {
        graph.createVirtualGraph({1, 1});
      },
      {"tile 1", "twice"});
  Graph second = graph.createVirtualGraph(4, 8);
  const Tensor t = second.addVariable(FLOAT, {2}, "t");
  expectError<invalid_tile_mapping>(
      [&] { second.setTileMapping(t, 4); },
      {"'t'", "tile 4", "[0,4)", "[4,8) of the top-level graph"});
}

} // namespace
