#include "tests/ipumodel/popops/operators.hpp"

#include <popops/DynamicSlice.hpp>
#include <popops/Loop.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>
#include <numeric>
#include <random>

using namespace poplar;
using operators::Bench;
using operators::counting;
using operators::Shape;
using popops::dynamicSlice;
using popops::dynamicUpdate;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

Tensor offsets(Bench &b, const std::vector<unsigned> &values) {
  return b.tensor(UNSIGNED_INT, {values.size()}, values);
}

std::size_t volume(const Shape &shape) {
  std::size_t n = 1;
  for (const std::size_t size : shape)
    n *= size;
  return n;
}

// The position of each element of a slice in a tensor of `shape`, from the
// definition.
std::vector<std::size_t> placesOf(const Shape &shape, const Shape &slice,
                                  const Shape &offset) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < volume(slice); ++i) {
    std::size_t rest = i, place = 0, stride = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      place += (rest % slice[d] + offset[d]) % shape[d] * stride;
      rest /= slice[d];
      stride *= shape[d];
    }
    places.push_back(place);
  }
  return places;
}

} // namespace

TEST(DynamicSlice, KeepsTheRank) {
  Bench b;
  const Tensor t = b.ints({4, 3}, counting<int>(12));
  const Tensor s = dynamicSlice(b.graph, t, offsets(b, {2}), {0}, {1}, b.prog);
  EXPECT_EQ(s.shape(), Shape({1, 3}));
  EXPECT_THAT(b.result<int>(s), ElementsAre(6, 7, 8));
}

TEST(DynamicSlice, WrapsAround) {
  Bench b;
  const Tensor t = b.ints({4, 2}, counting<int>(8));
  const Tensor s = dynamicSlice(b.graph, t, offsets(b, {3}), {0}, {3}, b.prog);
  EXPECT_THAT(b.result<int>(s), ElementsAre(6, 7, 0, 1, 2, 3));
}

TEST(DynamicSlice, AgreesWithItsDefinitionForRandomShapes) {
  std::mt19937 random(1);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int round = 0; round < 60; ++round) {
    Bench b;
    const std::size_t rank = 1 + below(4);
    Shape shape, slice, offset(rank), dims, sizes;
    std::vector<unsigned> at;
    for (std::size_t d = 0; d < rank; ++d)
      shape.push_back(1 + below(6));
    slice = shape;
    for (std::size_t d = 0; d < rank; ++d)
      if (below(2)) {
        dims.insert(dims.begin() + below(dims.size() + 1), d);
        slice[d] = 1 + below(shape[d]);
        offset[d] = below(shape[d]);
      }
    for (const std::size_t d : dims) {
      sizes.push_back(slice[d]);
      at.push_back(static_cast<unsigned>(offset[d]));
    }
    const std::vector<int> values = counting<int>(volume(shape));
    // Every other time the elements have another order in memory.
    Tensor t = b.ints(shape, values), base = t;
    if (round % 2) {
      Shape reversed(shape.rbegin(), shape.rend());
      std::vector<unsigned> order(rank);
      for (unsigned d = 0; d < rank; ++d)
        order[d] = static_cast<unsigned>(rank) - 1 - d;
      base = b.variable(INT, reversed).dimShuffle(order);
      b.prog.add(program::Copy(t, base));
    }
    std::vector<int> expected, updated = values;
    int next = -1;
    for (const std::size_t place : placesOf(shape, slice, offset)) {
      expected.push_back(values[place]);
      updated[place] = next--;
    }
    const Tensor where = offsets(b, at);
    const Tensor s = dynamicSlice(b.graph, base, where, dims, sizes, b.prog);
    const Tensor copied = b.variable(INT, slice);
    b.prog.add(program::Copy(s, copied));
    std::vector<int> news(expected.size());
    std::iota(news.rbegin(), news.rend(), next + 1);
    dynamicUpdate(b.graph, base, b.ints(slice, news), where, dims, sizes,
                  b.prog);
    const std::string read = b.watch(copied);
    ASSERT_THAT(b.result<int>(base), ElementsAreArray(updated)) << round;
    ASSERT_THAT(b.read<int>(read, expected.size()), ElementsAreArray(expected));
  }
}

TEST(DynamicSlice, OutOfRangeLeavesTheOutputAlone) {
  Bench b;
  const Tensor t = b.ints({4}, counting<int>(4)), out = b.ints({2}, {-1, -2});
  popops::dynamicSliceWithOutput(b.graph, out, t, offsets(b, {4}), {0}, {2},
                                 b.prog);
  EXPECT_THAT(b.result<int>(out), ElementsAre(-1, -2));
}

TEST(DynamicSlice, OutOfRangeStartsAtZeroIfRemapped) {
  Bench b;
  const Tensor t = b.ints({4}, counting<int>(4));
  const Tensor s = dynamicSlice(b.graph, t, offsets(b, {9}), {0}, {2}, b.prog,
                                {}, {{"remapOutOfBoundIndices", "true"}});
  EXPECT_THAT(b.result<int>(s), ElementsAre(0, 1));
}

TEST(DynamicSlice, OutOfRangeIsZeroIfPaddingIsUsed) {
  Bench b;
  const Tensor t = b.ints({4}, {5, 6, 7, 8}), out = b.ints({2}, {-1, -2});
  popops::dynamicSliceWithOutput(b.graph, out, t, offsets(b, {4}), {0}, {2},
                                 b.prog, {}, {{"paddingIndexUsed", "true"}});
  EXPECT_THAT(b.result<int>(out), ElementsAre(0, 0));
}

TEST(DynamicSlice, TakesAnOffsetForEachTile) {
  Bench b;
  const Tensor t = b.ints({4}, counting<int>(4));
  const Tensor offset = b.tensor<unsigned>(UNSIGNED_INT, {1, 4}, {2, 2, 2, 2});
  const Tensor s = dynamicSlice(b.graph, t, offset, {0}, {1}, b.prog);
  EXPECT_THAT(b.result<int>(s), ElementsAre(2));
}

TEST(DynamicSlice, WorksForBytes) {
  Bench b;
  const Tensor t = b.tensor<unsigned char>(UNSIGNED_CHAR, {5}, {1, 2, 3, 4, 5});
  const Tensor s = dynamicSlice(b.graph, t, offsets(b, {4}), {0}, {2}, b.prog);
  EXPECT_THAT(b.result<unsigned char>(s), ElementsAre(5, 1));
}

TEST(DynamicSlice, OfSizeZeroIsAnEmptyView) {
  Bench b;
  const Tensor t = b.ints({4, 2}, counting<int>(8));
  const Tensor s = dynamicSlice(b.graph, t, offsets(b, {1}), {0}, {0}, b.prog);
  EXPECT_EQ(s.shape(), Shape({0, 2}));
}

TEST(DynamicSlice, WithoutDimensionsIsTheTensor) {
  Bench b;
  const Tensor t = b.ints({4}, counting<int>(4));
  EXPECT_EQ(dynamicSlice(b.graph, t, offsets(b, {}), {}, {}, b.prog), t);
}

TEST(DynamicSlice, IsMappedAsAnnounced) {
  Bench b;
  const Tensor t = b.ints({3, 200}, counting<int>(600));
  const Tensor s = dynamicSlice(b.graph, t, offsets(b, {1}), {0}, {1}, b.prog);
  EXPECT_EQ(b.graph.getTileMapping(s),
            popops::getSliceMapping(b.graph, t, {0}, {1}));
}

TEST(DynamicSlice, ReadsTheOffsetOfEachReplica) {
  Bench b(4, 2);
  const Tensor t = b.ints({3}, {5, 6, 7});
  const Tensor replica = b.graph.addReplicationIndexConstant();
  b.graph.setTileMapping(replica, 0);
  const Tensor s =
      dynamicSlice(b.graph, t, replica.reshape({1}), {0}, {1}, b.prog);
  const std::string read = b.watch(s);
  b.run();
  EXPECT_THAT(b.read<int>(read, 2), ElementsAre(5, 6));
}

TEST(DynamicSlice, OfALoopVisitsEachRow) {
  Bench b;
  const Tensor t = b.ints({3, 2}, counting<int>(6)), copy = b.ints({3, 2}, {});
  b.prog.add(popops::countedLoop(b.graph, 3, [&](const Tensor &i) {
    program::Sequence body;
    const Tensor row = dynamicSlice(b.graph, t, i, {0}, {1}, body);
    dynamicUpdate(b.graph, copy, row, i, {0}, {1}, body);
    return body;
  }));
  EXPECT_THAT(b.result<int>(copy), ElementsAreArray(counting<int>(6)));
}

TEST(DynamicSlice, RefusesWhatIsNotASlice) {
  Bench b;
  const Tensor t = b.ints({4, 2}, counting<int>(8));
  const auto slice = [&](const std::vector<unsigned> &offset, const Shape &dims,
                         const Shape &sizes) {
    dynamicSlice(b.graph, t, offsets(b, offset), dims, sizes, b.prog);
  };
  EXPECT_THROW(slice({0}, {2}, {1}), graph_connection_error);
  EXPECT_THROW(slice({0}, {0}, {5}), graph_connection_error);
  EXPECT_THROW(slice({0, 0}, {1, 1}, {1, 1}), graph_connection_error);
  EXPECT_THROW(slice({0, 0}, {0}, {1}), poplibs_error);
  EXPECT_THROW(slice({0}, {0}, {1, 1}), poplibs_error);
  EXPECT_THROW(popops::dynamicSliceWithOutput(b.graph, t, t, offsets(b, {0}),
                                              {0}, {1}, b.prog),
               graph_connection_error);
  EXPECT_THROW(dynamicSlice(b.graph, t, offsets(b, {0}), {0}, {1}, b.prog, {},
                            {{"remap", "true"}}),
               invalid_option);
}

TEST(DynamicUpdate, OutOfRangeChangesNothing) {
  Bench b;
  const Tensor t = b.ints({3}, counting<int>(3));
  dynamicUpdate(b.graph, t, b.ints({1}, {9}), offsets(b, {3}), {0}, {1},
                b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(0, 1, 2));
}

TEST(DynamicUpdate, WithoutDimensionsCopiesAll) {
  Bench b;
  const Tensor t = b.ints({2}, {0, 0});
  dynamicUpdate(b.graph, t, b.ints({2}, {3, 4}), offsets(b, {}), {}, {},
                b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(3, 4));
}

TEST(DynamicUpdate, ReadsAllOfASliceOfTheSameTensorFirst) {
  Bench b;
  const Tensor t = b.ints({5}, counting<int>(5));
  dynamicUpdate(b.graph, t, t.slice(0, 4), offsets(b, {1}), {0}, {4}, b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(0, 0, 1, 2, 3));
}

TEST(SliceableTensor, HasShapeAndMapping) {
  Bench b;
  const auto isMapped = [&](const Tensor &t) {
    bool complete = false;
    b.graph.getTileMapping(t, &complete);
    return complete;
  };
  const Tensor t =
      popops::createSliceableTensor(b.graph, HALF, {6, 5}, {0}, {1});
  EXPECT_EQ(t.shape(), Shape({6, 5}));
  EXPECT_EQ(t.elementType(), HALF);
  EXPECT_TRUE(isMapped(t));
  const Tensor stash = popops::createSliceableTensorFromSlice(
      b.graph, b.ints({2, 5}, {}), {0}, {3});
  EXPECT_EQ(stash.shape(), Shape({6, 5}));
  EXPECT_TRUE(isMapped(stash));
  const Tensor slices = popops::createSliceTensor(b.graph, t, {0}, {2}, 7);
  EXPECT_EQ(slices.shape(), Shape({7, 2, 5}));
  EXPECT_TRUE(isMapped(slices));
}
