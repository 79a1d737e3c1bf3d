#include "operators.hpp"

#include <popops/HostSliceTensor.hpp>
#include <popops/NormaliseImage.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using poputil::poplibs_error;
using testing::ElementsAre;

TEST(NormaliseImage, ScalesChannelsAndAddsAFourth) {
  Bench b;
  const Tensor image = b.floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor out = popops::normaliseImage(b.graph, b.prog, image, 2,
                                            b.floats({3}, {1, 0, 2}),
                                            b.floats({3}, {1, 10, 0.5f}));
  EXPECT_EQ(out.shape(), Shape({2, 4}));
  EXPECT_THAT(b.floatsOf(out), ElementsAre(1, 40, 2, 0, 7, 100, 5, 0));
}

TEST(NormaliseImage, TurnsBytesIntoHalves) {
  Bench b;
  const Tensor image =
      b.tensor<unsigned char>(UNSIGNED_CHAR, {1, 1, 3}, {0, 128, 255});
  const Tensor one = b.halves({3}, {1, 1, 1}), zero = b.halves({3}, {0, 0, 0});
  const Tensor out =
      popops::normaliseImage(b.graph, b.prog, image, 0.5f, zero, one);
  EXPECT_EQ(out.elementType(), HALF);
  EXPECT_THAT(b.floatsOf(out), ElementsAre(0, 64, 127.5f, 0));
}

TEST(NormaliseImage, WantsThreeChannelsAndMatchingTypes) {
  Bench b;
  const Tensor three = b.floats({3}, {1, 1, 1});
  EXPECT_THROW(popops::normaliseImage(b.graph, b.prog, b.floats({2}, {1, 2}), 1,
                                      three, three),
               poplibs_error);
  EXPECT_THROW(popops::normaliseImage(b.graph, b.prog, b.halves({3}, {1, 2, 3}),
                                      1, three, three),
               poplibs_error);
  EXPECT_THROW(popops::createNormaliseImageInput(b.graph, INT, {2, 3}),
               poplibs_error);
}

TEST(NormaliseImage, KeepsPixelsOnOneTile) {
  Bench b(4);
  const Tensor t = popops::createNormaliseImageInput(b.graph, HALF, {5, 3});
  bool isComplete = false;
  const auto mapping = b.graph.getTileMapping(t, &isComplete);
  EXPECT_TRUE(isComplete);
  for (const auto &tile : mapping)
    for (const Interval &interval : tile)
      EXPECT_EQ(interval.size() % 3, 0);
}

TEST(HostSliceTensor, HasRowsAndTheirIndices) {
  Bench b;
  const auto rows =
      popops::createHostSliceableTensor(b.graph, HALF, {4, 100}, true);
  EXPECT_EQ(rows.indices.shape(), Shape({4}));
  EXPECT_EQ(rows.indices.elementType(), UNSIGNED_INT);
  EXPECT_EQ(rows.tensor.shape(), Shape({4, 100}));
  bool isComplete = false;
  b.graph.getTileMapping(rows.tensor, &isComplete);
  EXPECT_TRUE(isComplete);
  EXPECT_THROW(popops::createHostSliceableTensor(b.graph, HALF, {4}, true),
               poplibs_error);
  EXPECT_EQ(popops::createHostTransferableTensor(b.graph, INT, {2, 3, 4}, false)
                .shape(),
            Shape({2, 3, 4}));
}

TEST(HostSliceTensor, DealsPacketsToTheTiles) {
  constexpr std::size_t kPacket = 1024 / sizeof(float);
  Bench b(4);
  const auto tilesOf = [&](const Tensor &t) {
    std::vector<std::size_t> elements;
    for (const auto &tile : b.graph.getTileMapping(t)) {
      elements.push_back(0);
      for (const Interval &interval : tile)
        elements.back() += interval.size();
    }
    return elements;
  };
  const auto rows =
      popops::createHostSliceableTensor(b.graph, FLOAT, {2, kPacket + 1}, true);
  EXPECT_THAT(tilesOf(rows.tensor), ElementsAre(kPacket, 1, kPacket, 1));
  EXPECT_THAT(tilesOf(rows.indices), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(tilesOf(popops::createHostTransferableTensor(
                  b.graph, FLOAT, {5, kPacket}, false)),
              ElementsAre(2 * kPacket, kPacket, kPacket, kPacket));
  // After three packets, the last of which is not full, and twice all tiles.
  const std::size_t offset = 2 * 1024 + 1 + 8 * 1024;
  EXPECT_THAT(tilesOf(popops::createHostTransferableTensor(
                  b.graph, FLOAT, {2 * kPacket}, false, offset)),
              ElementsAre(kPacket, 0, 0, kPacket));
  const auto behind = popops::createHostSliceableTensor(
      b.graph, FLOAT, {2, 10}, false, offset, "behind");
  EXPECT_THAT(tilesOf(behind.tensor), ElementsAre(10, 0, 0, 10));
  EXPECT_THAT(tilesOf(behind.indices), ElementsAre(1, 0, 0, 1));
}
