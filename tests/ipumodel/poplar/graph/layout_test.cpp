#include "expect_error.hpp"

#include <poplar/Graph.hpp>

#include <gmock/gmock.h>

namespace {

using namespace poplar;
using testing::ElementsAre;

class LayoutTest : public testing::Test {
protected:
  Graph graph{Target::createIPUTarget(1, 4, "ipu2")};
  Tensor t = graph.addVariable(FLOAT, {3, 4}, "t");
};

TEST_F(LayoutTest, FindsWhatWasBroadcast) {
  const Tensor row = t.slice(0, 1);
  EXPECT_EQ(graph.findUnbroadcastTensor(row.broadcast(5, 0)), row);
  EXPECT_EQ(graph.findUnbroadcastTensor(t.broadcast(2, 1)), t);
  const Tensor cell = t.slice({1, 1}, {2, 2});
  EXPECT_EQ(graph.findUnbroadcastTensor(cell.broadcast(3, 0).broadcast(4, 1)),
            cell);
}

TEST_F(LayoutTest, LeavesTensorsThatWereNotBroadcast) {
  EXPECT_EQ(graph.findUnbroadcastTensor(t), t);
  const Tensor repeated = t.upsample(2, 0, UpsampleMethod::REPEAT);
  EXPECT_EQ(graph.findUnbroadcastTensor(repeated), repeated);
  const Tensor partly = concat(t.slice(0, 1).broadcast(2, 0), t.slice(2, 3));
  EXPECT_EQ(graph.findUnbroadcastTensor(partly), partly);
}

TEST_F(LayoutTest, JoinsRegionsThatFollowEachOtherInStorage) {
  const Tensor columns = t.transpose();
  const auto regions = graph.getSortedContiguousRegions(columns, {{0, 6}});
  ASSERT_EQ(regions.size(), 3u);
  EXPECT_THAT(regions[0], ElementsAre(Interval(0, 1), Interval(3, 4)));
  EXPECT_THAT(regions[2], ElementsAre(Interval(2, 3), Interval(5, 6)));
  const auto whole = graph.getSortedContiguousRegions(t, {{4, 8}, {0, 4}});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_THAT(whole[0], ElementsAre(Interval(0, 8)));
  expectError<index_error>(
      [&] {
        graph.getSortedContiguousRegions(t, {{8, 13}});
      },
      {"'t'", "[8,13)"});
}

TEST_F(LayoutTest, NamesTheFirstOfEqualRegions) {
  const Tensor twice = concat(t.flatten().slice(2, 6), t.flatten().slice(0, 4));
  std::vector<std::size_t> aliases;
  const auto regions =
      graph.getSortedContiguousRegions(twice, {{0, 8}}, false, &aliases);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_THAT(regions[0], ElementsAre(Interval(4, 6), Interval(0, 2)));
  EXPECT_THAT(regions[1], ElementsAre(Interval(6, 8), Interval(2, 4)));
  EXPECT_THAT(aliases, ElementsAre(4, 0, 0, 2));
  const auto once = graph.getSortedContiguousRegions(twice, {{0, 8}}, true);
  ASSERT_EQ(once.size(), 1u);
  EXPECT_THAT(once[0], ElementsAre(Interval(4, 6), Interval(0, 4)));
}

TEST_F(LayoutTest, RearrangesIntervalsAsItDoesTensors) {
  const TensorRearranger rearranger =
      graph.getSimplifyingRearranger(t.transpose());
  EXPECT_TRUE(rearranger.valid());
  EXPECT_EQ(rearranger.rearrange(t.transpose()), t.flatten());
  const Interval column(0, 3);
  EXPECT_THAT(rearranger.rearrange({column}),
              ElementsAre(Interval(0, 1), Interval(4, 5), Interval(8, 9)));
  const Interval row(0, 2);
  EXPECT_THAT(rearranger.undoRearrangement({row}),
              ElementsAre(Interval(0, 1), Interval(3, 4)));
  expectError<poplar_error>([&] { rearranger.rearrange(t[0]); },
                            {"12 elements", "'t'"});
}

TEST_F(LayoutTest, ReordersOnlyTensorsOfOneSize) {
  Tensor a = t.flatten(), b = t[0];
  expectError<poplar_error>([&] { graph.reorderToSimplify(&a, {&b}); },
                            {"{12}", "{4}"});
}

TEST_F(LayoutTest, ClonesOfNoTensorsHaveNoElements) {
  const Tensor none = graph.cloneN(t, 0);
  EXPECT_THAT(none.shape(), ElementsAre(0, 3, 4));
}

TEST_F(LayoutTest, ClonesPutTheCopiesOfARegionSideBySide) {
  graph.setTileMapping(t, {{{0, 4}}, {{4, 12}}});
  const Tensor pair = graph.cloneN(
      t, 2, "pair", TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
      TensorCloneDuplicationMethod::DUPLICATE_BY_TILE_CONTIGUOUS_REGION);
  const auto regions = pair.flatten().getVarRegions();
  ASSERT_EQ(regions.size(), 4u);
  EXPECT_EQ(regions[0].interval, Interval(0, 4));
  EXPECT_EQ(regions[1].interval, Interval(8, 16));
  EXPECT_EQ(regions[2].interval, Interval(4, 8));
  EXPECT_EQ(regions[3].interval, Interval(16, 24));
}

TEST_F(LayoutTest, CloneAnotherTypeOrOfConstants) {
  graph.setTileMapping(t, 1);
  const Tensor half = graph.clone(HALF, t, "half");
  EXPECT_EQ(half.elementType(), HALF);
  EXPECT_EQ(half.getVarStr(), "half");
  EXPECT_THAT(graph.getTileMapping(half)[1], ElementsAre(Interval(0, 12)));
  const Tensor one = graph.addConstant(FLOAT, {2}, 1.0f);
  EXPECT_FALSE(graph.clone(one).containsConstant());
}

} // namespace
