// Where tensors of slices and reductions are.
#include "tests/ipumodel/popops/operators.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Gather.hpp>
#include <popops/Reduce.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using testing::Each;
using testing::ElementsAre;

namespace {

using Mapping = Graph::TileToTensorMapping;

std::vector<std::size_t> elementsOnTiles(const Graph &graph, const Tensor &t) {
  std::vector<std::size_t> counts;
  for (const auto &tile : graph.getTileMapping(t)) {
    counts.push_back(0);
    for (const Interval &interval : tile)
      counts.back() += interval.size();
  }
  return counts;
}

} // namespace

TEST(SliceMapping, SpreadsEverySliceOverAllTilesAlike) {
  Bench b(4);
  const Tensor t =
      popops::createSliceableTensor(b.graph, FLOAT, {100, 64}, {0}, {1});
  const Mapping expected = {{{0, 16}}, {{16, 32}}, {{32, 48}}, {{48, 64}}};
  EXPECT_EQ(popops::getSliceMapping(b.graph, t, {0}, {1}), expected);
  EXPECT_EQ(b.graph.getTileMapping(t[0]), expected);
  EXPECT_EQ(b.graph.getTileMapping(t[99]), expected);
  EXPECT_THAT(elementsOnTiles(b.graph, t), Each(1600u));
}

TEST(SliceMapping, KeepsTheGrainSize) {
  Bench b(4);
  const Tensor t =
      popops::createSliceableTensor(b.graph, HALF, {10, 12}, {0}, {1}, 8);
  EXPECT_EQ(b.graph.getTileMapping(t[3]),
            Mapping({{{0, 8}}, {{8, 12}}, {}, {}}));
}

TEST(SliceMapping, StoresSlicesOfAnyDimensionInOnePiece) {
  Bench b(4);
  for (const std::size_t dim : {0, 1, 2}) {
    const Tensor t =
        popops::createSliceableTensor(b.graph, HALF, {5, 6, 7}, {dim}, {1});
    EXPECT_EQ(t.shape(), Shape({5, 6, 7}));
    EXPECT_EQ(t.slice(2, 3, static_cast<unsigned>(dim)).getVarRegions().size(),
              1u)
        << dim;
  }
}

TEST(SliceMapping, OfAStashIsThatOfItsSlice) {
  Bench b(8);
  const Tensor stored = b.graph.addVariable(HALF, {5, 4, 6});
  const Tensor slice = stored.dimShuffle({2, 0, 1});
  poputil::mapTensorLinearly(b.graph, slice, 1, 1);
  const Tensor t =
      popops::createSliceableTensorFromSlice(b.graph, slice, {0, 1}, {2, 3});
  ASSERT_EQ(t.shape(), Shape({12, 15, 4}));
  const Mapping expected = b.graph.getTileMapping(slice);
  for (unsigned i = 0; i < 2; ++i)
    for (unsigned j = 0; j < 3; ++j)
      EXPECT_EQ(
          b.graph.getTileMapping(
              t.slice(i * 6, (i + 1) * 6, 0).slice(j * 5, (j + 1) * 5, 1)),
          expected);
}

TEST(SliceMapping, OfADynamicSliceIsThatOfTheTensor) {
  Bench b(4);
  const Tensor t =
      popops::createSliceableTensor(b.graph, INT, {3, 6, 4}, {1}, {2});
  b.graph.setInitialValue(t.flatten(),
                          ArrayRef<int>(operators::counting<int>(72)));
  const Tensor offset = b.tensor<unsigned>(UNSIGNED_INT, {1}, {3});
  const Tensor s = popops::dynamicSlice(b.graph, t, offset, {1}, {2}, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(s),
            b.graph.getTileMapping(t.slice(0, 2, 1)));
  EXPECT_THAT(elementsOnTiles(b.graph, s), Each(6u));
  EXPECT_THAT(b.result<int>(s),
              ElementsAre(12, 13, 14, 15, 16, 17, 18, 19, 36, 37, 38, 39, 40,
                          41, 42, 43, 60, 61, 62, 63, 64, 65, 66, 67));
}

TEST(SliceMapping, OfAGatherHasEveryRowOnAllTiles) {
  Bench b(4);
  const Tensor t =
      popops::createGatherInput(b.graph, INT, {50, 4}, {1, 4}, {0});
  const Tensor indices = b.tensor<unsigned>(UNSIGNED_INT, {3}, {1, 49, 7});
  const Tensor rows =
      popops::gather(b.graph, t, indices, 1, {1}, {1, 4}, {0}, {0}, b.prog);
  ASSERT_EQ(rows.shape(), Shape({3, 4}));
  EXPECT_THAT(elementsOnTiles(b.graph, rows), Each(3u));
}

TEST(SliceMapping, OfALargeTableIsMadeAtOnce) {
  Bench b(1024);
  const Tensor t =
      popops::createSliceableTensor(b.graph, HALF, {1000000, 1024}, {0}, {1});
  EXPECT_THAT(elementsOnTiles(b.graph, t[999999]), Each(1u));
}

TEST(SliceMapping, CanBeChangedInPart) {
  Bench b(4);
  const Tensor t =
      popops::createSliceableTensor(b.graph, INT, {3, 4}, {0}, {1});
  b.graph.setTileMapping(t[1], 2);
  EXPECT_EQ(b.graph.getTileMapping(t[1]), Mapping({{}, {}, {{0, 4}}, {}}));
  EXPECT_THAT(elementsOnTiles(b.graph, t[0]), Each(1u));
  EXPECT_THAT(elementsOnTiles(b.graph, t[2]), Each(1u));
}

TEST(ReduceMapping, FollowsInputsThatAreOnOneTile) {
  Bench b(4);
  const Tensor t = b.graph.addVariable(HALF, {4, 100});
  for (unsigned row = 0; row < 4; ++row)
    b.graph.setTileMapping(t[row], 3 - row);
  const Mapping reversed = {{{3, 4}}, {{2, 3}}, {{1, 2}}, {{0, 1}}};
  const Tensor rows =
      popops::reduce(b.graph, t, FLOAT, {1}, popops::Operation::ADD, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(rows), reversed);
  const Tensor columns = popops::reduce(b.graph, t.transpose(), FLOAT, {0},
                                        popops::Operation::ADD, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(columns), reversed);
  // A half alone would share its word with another tile's.
  const Tensor halves =
      popops::reduce(b.graph, t, HALF, {1}, popops::Operation::ADD, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(halves), Mapping({{{0, 4}}, {}, {}, {}}));
}

TEST(ReduceMapping, IsLinearIfInputsAreOnSeveralTiles) {
  Bench b(4);
  const Tensor t = b.graph.addVariable(FLOAT, {256, 64});
  poputil::mapTensorLinearly(b.graph, t);
  const Tensor out =
      popops::reduce(b.graph, t, {0}, popops::Operation::ADD, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(out),
            Mapping({{{0, 32}}, {{32, 64}}, {}, {}}));
}

TEST(ReduceMapping, OfAnInputOnOneTileIsThatTile) {
  Bench b(4);
  const Tensor t = b.graph.addVariable(FLOAT, {3, 5});
  b.graph.setTileMapping(t, 2);
  const Tensor out =
      popops::reduce(b.graph, t, {1}, popops::Operation::MAX, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(out), Mapping({{}, {}, {{0, 3}}, {}}));
}
