#include "small_device.hpp"

#include <poputil/VarStructure.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poputil;
using namespace poplar;
using testing::ElementsAre;
using testing::IsEmpty;

namespace {

using Shape = std::vector<std::size_t>;

TEST(Partitions, EachPartIsContiguous) {
  SmallDevice device(1);
  for (const Shape &partitions :
       {Shape{1, 1, 1}, Shape{5, 2, 3}, Shape{4, 3, 5}, Shape{2, 7, 4}}) {
    const Tensor t =
        createPartitionableTensor(device.graph, FLOAT, {5, 8, 9}, partitions);
    EXPECT_EQ(t.shape(), (Shape{5, 8, 9}));
    EXPECT_TRUE(t.isParallelWriteable());
    iterateTensorPartitions(t, partitions,
                            [](const Shape &, const Tensor &part) {
                              EXPECT_LE(part.getContiguousRegions().size(), 1u);
                            });
  }
}

TEST(Partitions, AreIteratedWithTheFirstIndexFastest) {
  SmallDevice device(1);
  const Tensor t = device.counting({5, 2});
  std::vector<Shape> indices;
  std::vector<Tensor> parts;
  iterateTensorPartitions(t, {3, 2}, [&](const Shape &i, const Tensor &part) {
    indices.push_back(i);
    parts.push_back(part);
  });
  EXPECT_THAT(indices, ElementsAre(Shape{0, 0}, Shape{1, 0}, Shape{2, 0},
                                   Shape{0, 1}, Shape{1, 1}, Shape{2, 1}));
  EXPECT_EQ(parts[1], t.slice(2, 4, 0).slice(0, 1, 1));
  EXPECT_EQ(parts[5], t.slice(4, 5, 0).slice(1, 2, 1));
}

TEST(Partitions, BeyondTheLastElementAreEmpty) {
  SmallDevice device(1);
  // Four parts of two elements: the last is empty.
  std::vector<std::size_t> sizes;
  iterateTensorPartitions(device.counting({6}), {4},
                          [&](const Shape &, const Tensor &part) {
                            sizes.push_back(part.numElements());
                          });
  EXPECT_THAT(sizes, ElementsAre(2, 2, 2, 0));
}

TEST(Partitions, AnEmptyTensorIsOneVariable) {
  SmallDevice device(1);
  const Tensor t =
      createPartitionableTensor(device.graph, FLOAT, {3, 0, 2}, {1, 2, 1});
  EXPECT_EQ(t.shape(), (Shape{3, 0, 2}));
}

TEST(Partitions, OneNumberPerDimensionIsNeeded) {
  SmallDevice device(1);
  const auto ignore = [](const Shape &, const Tensor &) {};
  EXPECT_THROW(createPartitionableTensor(device.graph, FLOAT, {3, 2}, {1}),
               poplibs_error);
  EXPECT_THROW(createPartitionableTensor(device.graph, FLOAT, {3}, {0}),
               poplibs_error);
  EXPECT_THROW(iterateTensorPartitions(device.counting({3}), {1, 1}, ignore),
               poplibs_error);
}

TEST(Groupings, ARowThatLiesTogetherIsAGroup) {
  SmallDevice device(4);
  const Tensor t = device.counting({6, 8});
  device.graph.setTileMapping(t, 0);
  EXPECT_EQ(detectInnermostGrouping(device.graph, t), 8u);
  EXPECT_EQ(detectInnermostGrouping(device.graph, t.transpose()), 1u);
}

TEST(Groupings, TilesLimitAGroup) {
  SmallDevice device(4);
  const Tensor t = device.counting({3, 8});
  for (unsigned tile = 0; tile < 4; ++tile)
    device.graph.setTileMapping(t.slice(2 * tile, 2 * tile + 2, 1), tile);
  EXPECT_EQ(detectInnermostGrouping(device.graph, t), 2u);
}

TEST(Groupings, AreFoundFromTheInnermostOutwards) {
  SmallDevice device(1);
  // Stored as [2][6][4][8], viewed as [8, 48].
  const Tensor stored = device.counting({2, 6, 4, 8});
  device.graph.setTileMapping(stored, 0);
  const Tensor t = stored.dimShuffle({0, 2, 1, 3}).reshape({8, 48});
  EXPECT_THAT(detectDimGroupings(device.graph, t),
              ElementsAre(GroupingInfo(1, 8), GroupingInfo(0, 4),
                          GroupingInfo(1, 6), GroupingInfo(0, 2)));
}

TEST(Groupings, ScatteredElementsHaveNone) {
  SmallDevice device(4);
  const Tensor t = device.counting({2, 2});
  for (unsigned i = 0; i < 4; ++i)
    device.graph.setTileMapping(t.flatten()[i], i);
  EXPECT_THAT(detectDimGroupings(device.graph, t), IsEmpty());
}

TEST(Groupings, ScalarsThrow) {
  SmallDevice device(1);
  const Tensor scalar = device.counting({});
  EXPECT_THROW(detectInnermostGrouping(device.graph, scalar), poplibs_error);
  EXPECT_THROW(detectDimGroupings(device.graph, scalar), poplibs_error);
}

} // namespace
