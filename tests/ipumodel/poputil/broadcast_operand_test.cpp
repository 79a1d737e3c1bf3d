#include "small_device.hpp"

#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

#include <gtest/gtest.h>

using namespace poputil;
using namespace poplar;

namespace {

TEST(BroadcastOperand, LivesWhereTheFullTensorDoes) {
  SmallDevice device(4);
  const Tensor full = device.graph.addVariable(FLOAT, {3, 8});
  for (unsigned tile = 0; tile < 4; ++tile)
    device.graph.setTileMapping(full.slice(2 * tile, 2 * tile + 2, 1),
                                3 - tile);
  const Tensor bias = createBroadcastOperand(device.graph, full, HALF, 1);
  EXPECT_EQ(bias.shape(), (std::vector<std::size_t>{8}));
  EXPECT_EQ(bias.elementType(), HALF);
  EXPECT_EQ(device.graph.getTileMapping(bias),
            (Mapping{{{6, 8}}, {{4, 6}}, {{2, 4}}, {{0, 2}}}));
}

TEST(BroadcastOperand, IsSpreadOverTilesThatShareItsElements) {
  SmallDevice device(4);
  // Each row is on a different tile and uses all eight elements; two floats are
  // loaded at once.
  const Tensor full = device.graph.addVariable(FLOAT, {4, 8});
  for (unsigned tile = 0; tile < 4; ++tile)
    device.graph.setTileMapping(full[tile], tile);
  const Tensor bias = createBroadcastOperand(device.graph, full, FLOAT, 1);
  EXPECT_EQ(device.graph.getTileMapping(bias),
            (Mapping{{{0, 2}}, {{2, 4}}, {{4, 6}}, {{6, 8}}}));
}

TEST(BroadcastOperand, EveryElementIsOnATileThatHoldsItsSlice) {
  SmallDevice device(16);
  // Each dimension is halved; bit d of the tile is the half of dimension d.
  const Tensor full = device.graph.addVariable(FLOAT, {4, 6, 2, 10});
  for (unsigned tile = 0; tile < 16; ++tile) {
    Tensor box = full;
    for (unsigned dim = 0; dim < full.rank(); ++dim) {
      const auto half = full.dim(dim) / 2, begin = (tile >> dim & 1) * half;
      box = box.slice(begin, begin + half, dim);
    }
    device.graph.setTileMapping(box, tile);
  }
  for (unsigned dim = 0; dim < full.rank(); ++dim) {
    const Tensor operand =
        createBroadcastOperand(device.graph, full, FLOAT, dim);
    ASSERT_EQ(operand.numElements(), full.dim(dim));
    const auto mapping = device.graph.getTileMapping(operand);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const Interval &interval : mapping[tile])
        for (auto i = interval.begin(); i < interval.end(); ++i)
          EXPECT_FALSE(
              device.graph.getTileMapping(full.slice(i, i + 1, dim))[tile]
                  .empty())
              << "dimension " << dim << " index " << i << " tile " << tile;
  }
}

TEST(BroadcastOperand, DitheringMovesAllElementsByTheSameNumberOfTiles) {
  SmallDevice device(8);
  const Tensor full = device.graph.addVariable(FLOAT, {3, 64});
  mapTensorLinearly(device.graph, full);
  auto expected = device.graph.getTileMapping(
      createBroadcastOperand(device.graph, full, FLOAT, 1));
  const auto offset = chooseMappingOffset(8, full.shape());
  ASSERT_NE(offset, 0u);
  Mapping moved(8);
  for (unsigned tile = 0; tile < 8; ++tile)
    moved[(tile + offset) % 8] = expected[tile];
  EXPECT_EQ(device.graph.getTileMapping(
                createBroadcastOperand(device.graph, full, FLOAT, 1, true)),
            moved);
}

TEST(BroadcastOperand, OfAnEmptyTensorIsMappedLinearly) {
  SmallDevice device(4);
  const Tensor full = device.graph.addVariable(FLOAT, {0, 40});
  const Tensor operand = createBroadcastOperand(device.graph, full, FLOAT, 1);
  EXPECT_EQ(device.graph.getTileMapping(operand), onTiles(4, {{{0, 40}}}));
}

TEST(BroadcastOperand, AMissingDimensionThrows) {
  SmallDevice device(4);
  const Tensor full = device.graph.addVariable(FLOAT, {2});
  device.graph.setTileMapping(full, 0);
  EXPECT_THROW(createBroadcastOperand(device.graph, full, FLOAT, 1),
               poplibs_error);
}

} // namespace
