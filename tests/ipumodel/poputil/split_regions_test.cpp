#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gmock/gmock.h>

using namespace poputil;
using poplar::Interval;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Intervals = std::vector<Interval>;
using Elements = std::vector<std::size_t>;

Elements elementsOf(const Intervals &regions) {
  Elements elements;
  for (const Interval &region : regions)
    for (std::size_t i = region.begin(); i < region.end(); ++i)
      elements.push_back(i);
  return elements;
}

std::size_t ceilDiv(std::size_t a, std::size_t b) {
  return std::size_t(std::ceil(double(a) / double(b)));
}

// The elements of each partition, counted grain by grain.
std::vector<Elements> reference(const Intervals &regions, std::size_t grain,
                                std::size_t maxPartitions,
                                std::size_t minElements,
                                std::size_t maxElements) {
  const Elements all = elementsOf(regions);
  if (all.empty())
    return {};
  const auto grains = ceilDiv(all.size(), grain);
  auto most = std::min(ceilDiv(grains, maxPartitions), maxElements / grain);
  if (minElements > 0) {
    const auto partitions =
        std::max<std::size_t>(1, grains / ceilDiv(minElements, grain));
    most = std::max(most, ceilDiv(grains, partitions));
  }
  const auto n = ceilDiv(grains, most);
  std::vector<Elements> partitions(n);
  for (std::size_t e = 0; e < all.size(); ++e) {
    std::size_t i = 0;
    while ((i + 1) * grains / n <= e / grain)
      ++i;
    partitions[i].push_back(all[e]);
  }
  return partitions;
}

TEST(SplitRegions, AgreesWithCountingOutGrains) {
  const Intervals regions = {{3, 10}, {20, 21}, {30, 47}, {50, 50}, {60, 73}};
  for (const unsigned grain : {1u, 2u, 3u, 8u, 64u})
    for (const unsigned maxPartitions : {1u, 2u, 5u, 6u, 100u})
      for (const unsigned min : {0u, 1u, 7u, 16u, 1000u})
        for (const unsigned max : {64u, 80u, UINT_MAX}) {
          const auto expected =
              reference(regions, grain, maxPartitions, min, max);
          const auto split =
              splitRegions(regions, grain, maxPartitions, min, max);
          ASSERT_EQ(split.size(), expected.size())
              << grain << ' ' << maxPartitions << ' ' << min << ' ' << max;
          for (std::size_t i = 0; i < split.size(); ++i)
            EXPECT_EQ(elementsOf(split[i]), expected[i])
                << grain << ' ' << maxPartitions << ' ' << min << ' ' << max;
        }
}

TEST(SplitRegions, CutsRegionsWherePartitionsEnd) {
  EXPECT_THAT(splitRegions({{0, 5}, {7, 12}}, 2, 3),
              ElementsAre(ElementsAre(Interval(0, 2)),
                          ElementsAre(Interval(2, 5), Interval(7, 8)),
                          ElementsAre(Interval(8, 12))));
}

TEST(SplitRegions, MakesNoMorePartitionsThanTheLargestNeeds) {
  // Seven grains in five partitions: two per partition need only four.
  EXPECT_EQ(splitRegions({{0, 7}}, 1, 5).size(), 4u);
}

TEST(SplitRegions, AMaximumMakesMorePartitionsThanAskedFor) {
  EXPECT_EQ(splitRegions({{0, 100}}, 1, 2, 0, 10).size(), 10u);
}

TEST(SplitRegions, LongRegionsAreCutWithinAPartition) {
  EXPECT_THAT(splitRegions({{0, 10}, {20, 23}}, 2, 1, 0, UINT_MAX, 5),
              ElementsAre(ElementsAre(Interval(0, 4), Interval(4, 8),
                                      Interval(8, 10), Interval(20, 23))));
}

TEST(SplitRegions, SequencesAreCutAsOne) {
  const std::vector<Intervals> sequences = {{{0, 3}, {10, 13}}, {{20, 24}}};
  EXPECT_THAT(
      splitRegions(sequences, 1, 2),
      ElementsAre(ElementsAre(ElementsAre(Interval(0, 3), Interval(10, 12))),
                  ElementsAre(ElementsAre(Interval(12, 13)),
                              ElementsAre(Interval(20, 24)))));
  EXPECT_THAT(
      splitRegions(sequences, 1, 1, 0, UINT_MAX, 4),
      ElementsAre(ElementsAre(ElementsAre(Interval(0, 3), Interval(10, 11)),
                              ElementsAre(Interval(11, 13)),
                              ElementsAre(Interval(20, 24)))));
}

TEST(SplitRegions, NothingSplitsIntoNothing) {
  EXPECT_THAT(splitRegions(Intervals{}, 4, 6), IsEmpty());
  EXPECT_THAT(splitRegions(Intervals{{7, 7}}, 4, 6), IsEmpty());
  EXPECT_THAT(splitRegions(std::vector<Intervals>{{}}, 4, 6), IsEmpty());
}

TEST(SplitRegions, RegionsBeyond32BitsAreSplit) {
  const std::size_t quarter = std::size_t(1) << 31;
  EXPECT_THAT(splitRegions({{0, 4 * quarter}}, 1, 4),
              ElementsAre(ElementsAre(Interval(0, quarter)),
                          ElementsAre(Interval(quarter, 2 * quarter)),
                          ElementsAre(Interval(2 * quarter, 3 * quarter)),
                          ElementsAre(Interval(3 * quarter, 4 * quarter))));
}

TEST(SplitRegions, LimitsBelowOneGrainThrow) {
  EXPECT_THROW(splitRegions({{0, 9}}, 0, 1), poplibs_error);
  EXPECT_THROW(splitRegions({{0, 9}}, 1, 0), poplibs_error);
  EXPECT_THROW(splitRegions({{0, 9}}, 4, 1, 0, 3), poplibs_error);
  EXPECT_THROW(splitRegions({{0, 9}}, 4, 1, 0, UINT_MAX, 3), poplibs_error);
}

TEST(SplitRegions, WorkersAreThoseOfTheTarget) {
  const auto target = poplar::Target::createIPUTarget(1, "ipu2");
  const Intervals regions = {{0, 1000}};
  const std::vector<Intervals> sequences = {regions};
  EXPECT_EQ(splitRegionsBetweenWorkers(target, regions, 2),
            splitRegions(regions, 2, target.getNumWorkerContexts()));
  EXPECT_EQ(splitRegionsBetweenWorkers(target, regions, 2).size(), 6u);
  EXPECT_EQ(splitRegionsBetweenWorkers(target, sequences, 2, 400),
            splitRegions(sequences, 2, target.getNumWorkerContexts(), 400));
}

TEST(BalancedPartition, TheFirstPartsTakeTheRemainder) {
  EXPECT_THAT(balancedPartition(11, 4), ElementsAre(3, 3, 3, 2));
  EXPECT_THAT(balancedPartition(8, 4), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(balancedPartition(1, 3), ElementsAre(1, 0, 0));
  EXPECT_THROW(balancedPartition(5, 0), poplibs_error);
}

} // namespace
