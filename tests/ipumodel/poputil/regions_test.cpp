#include <poputil/Util.hpp>

#include <gmock/gmock.h>

using namespace poputil;
using poplar::Interval;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Intervals = std::vector<Interval>;

TEST(Regions, MergingSortsDropsEmptyOnesAndJoinsThoseThatTouch) {
  Intervals regions = {{8, 9}, {0, 2}, {5, 5}, {2, 4}, {6, 8}};
  mergeAdjacentRegions(regions);
  EXPECT_THAT(regions, ElementsAre(Interval(0, 4), Interval(6, 9)));
}

TEST(Regions, MergingAMappingKeepsTilesApart) {
  std::vector<Intervals> mapping = {{{1, 2}, {0, 1}}, {}, {{2, 3}}};
  mergeAdjacentRegions(mapping);
  EXPECT_THAT(mapping, ElementsAre(ElementsAre(Interval(0, 2)), IsEmpty(),
                                   ElementsAre(Interval(2, 3))));
}

TEST(Regions, FlatteningKeepsTheOrder) {
  EXPECT_THAT(flattenIntervals({{{4, 6}, {0, 1}}, {}, {{1, 4}}}),
              ElementsAre(Interval(4, 6), Interval(0, 1), Interval(1, 4)));
}

TEST(Regions, NumElementsSumsAllSequences) {
  EXPECT_EQ(intervalSequenceNumElements({{{4, 6}, {0, 1}}, {}, {{1, 4}}}), 6u);
  EXPECT_EQ(intervalSequenceNumElements({}), 0u);
}

TEST(Regions, IndicesFlattenAndUnflatten) {
  const std::vector<std::size_t> shape = {2, 3, 5};
  EXPECT_EQ(flattenIndex(shape, {1, 2, 3}), 1u * 15 + 2 * 5 + 3);
  for (std::size_t i = 0; i < 30; ++i)
    EXPECT_EQ(flattenIndex(shape, unflattenIndex(shape, i)), i);
  EXPECT_THAT(unflattenIndex(std::vector<int>{4, 7}, 13), ElementsAre(1, 6));
}

TEST(Regions, UnshufflingUndoesAShuffle) {
  const Intervals intervals = {{7, 9}, {0, 3}, {5, 7}, {3, 5}};
  const auto take = [](const std::vector<int> &from, const Intervals &list) {
    std::vector<int> taken;
    for (const Interval &interval : list)
      taken.insert(taken.end(), from.begin() + interval.begin(),
                   from.begin() + interval.end());
    return taken;
  };
  const std::vector<int> values = {10, 11, 12, 13, 14, 15, 16, 17, 18};
  const auto shuffled = take(values, intervals);
  EXPECT_NE(shuffled, values);
  EXPECT_EQ(take(shuffled, calculateUnshufflingIntervals(intervals)), values);
}

} // namespace
