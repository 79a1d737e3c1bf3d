#include "tests/ipumodel/popops/operators.hpp"

#include <popops/DynamicSlice.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>
#include <numeric>
#include <random>
#include <sstream>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using popops::multiSlice;
using popops::multiUpdate;
using popops::multiUpdateAdd;
using popops::SlicePlan;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::ElementsAreArray;

namespace {

Tensor offsets(Bench &b, const std::vector<unsigned> &values) {
  return b.tensor(UNSIGNED_INT, {values.size(), 1}, values);
}

} // namespace

TEST(MultiSlice, AddsADimensionForTheSlices) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {0, 1, 2, 3, 4, 5});
  const Tensor s = multiSlice(b.graph, t, offsets(b, {2, 0, 2}), {0}, {1},
                              b.prog, SlicePlan(), {});
  EXPECT_EQ(s.shape(), Shape({3, 1, 2}));
  EXPECT_THAT(b.result<int>(s), ElementsAre(4, 5, 0, 1, 4, 5));
}

TEST(MultiSlice, TakesColumnsAndLargerSlices) {
  Bench b;
  const Tensor t = b.ints({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor s = multiSlice(b.graph, t, offsets(b, {1, 2}), {1}, {2}, b.prog,
                              SlicePlan(), {});
  EXPECT_EQ(s.shape(), Shape({2, 2, 2}));
  EXPECT_THAT(b.result<int>(s), ElementsAre(1, 2, 4, 5, 2, 0, 5, 3));
}

TEST(MultiSlice, OfNoOffsetsOrElementsIsEmpty) {
  Bench b;
  const Tensor none =
      multiSlice(b.graph, b.ints({3, 2}, {0, 1, 2, 3, 4, 5}), offsets(b, {}),
                 {0}, {1}, b.prog, SlicePlan(), {});
  EXPECT_EQ(none.shape(), Shape({0, 1, 2}));
  const Tensor empty = multiSlice(b.graph, b.ints({3, 0}, {}), offsets(b, {1}),
                                  {0}, {1}, b.prog, SlicePlan(), {});
  EXPECT_EQ(empty.shape(), Shape({1, 1, 0}));
  EXPECT_NO_THROW(b.run());
}

TEST(MultiSlice, TakesOffsetsKnownWhenBuilt) {
  Bench b;
  const Tensor t = b.ints({3}, {7, 8, 9});
  const std::vector<unsigned> at{2, 1};
  const Tensor s = multiSlice(b.graph, t, at, 0, b.prog);
  EXPECT_EQ(s.shape(), Shape({2, 1}));
  EXPECT_THAT(b.result<int>(s), ElementsAre(9, 8));
  const std::vector<unsigned> outside{3};
  EXPECT_THROW(multiSlice(b.graph, t, outside, 0, b.prog), poplibs_error);
}

TEST(MultiSlice, PadsWithZerosIfAsked) {
  Bench b;
  const Tensor t = b.ints({3}, {7, 8, 9});
  const std::vector<unsigned> at{3, 1};
  const Tensor s =
      multiSlice(b.graph, t, at, 0, b.prog, {}, {{"paddingIndexUsed", "true"}});
  EXPECT_THAT(b.result<int>(s), ElementsAre(0, 8));
}

TEST(MultiSlice, StopsAtAnInvalidIndexIfAsked) {
  Bench b;
  const Tensor t = b.ints({3}, {7, 8, 9});
  multiSlice(b.graph, t, offsets(b, {1, 3}), {0}, {1}, b.prog, SlicePlan(),
             {{"validateIndices", "true"}});
  EXPECT_THROW(b.run(), std::runtime_error);
}

TEST(MultiSlice, WantsOneColumnOfOffsetsForEachDimension) {
  Bench b;
  const Tensor t = b.ints({3}, {7, 8, 9});
  EXPECT_THROW(multiSlice(b.graph, t, offsets(b, {1}).flatten(), {0}, {1},
                          b.prog, SlicePlan(), {}),
               poplibs_error);
  EXPECT_THROW(multiSlice(b.graph, t, offsets(b, {1}).broadcast(2, 1), {0}, {1},
                          b.prog, SlicePlan(), {}),
               poplibs_error);
}

TEST(MultiUpdate, WritesEachSliceAndIgnoresThoseOutside) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {0, 1, 2, 3, 4, 5});
  const Tensor s = b.ints({3, 1, 2}, {10, 11, 12, 13, 14, 15});
  multiUpdate(b.graph, t, s, offsets(b, {2, 3, 0}), {0}, {1}, b.prog,
              SlicePlan(), {});
  EXPECT_THAT(b.result<int>(t), ElementsAre(14, 15, 2, 3, 10, 11));
}

TEST(MultiUpdate, OfAnyRankNeedsNoPlan) {
  Bench b;
  const Tensor t = b.ints({2, 1, 2}, {0, 1, 2, 3});
  const Tensor s = b.ints({1, 1, 1, 2}, {8, 9});
  const SlicePlan plan = popops::embedding::plan(b.graph, INT, 2, 2, {1}, {});
  EXPECT_THROW(
      multiUpdate(b.graph, t, s, offsets(b, {1}), {0}, {1}, b.prog, plan, {}),
      poplibs_error);
  multiUpdate(b.graph, t, s, offsets(b, {1}), {0}, {1}, b.prog, SlicePlan(),
              {});
  EXPECT_THAT(b.result<int>(t), ElementsAre(0, 1, 8, 9));
}

// Values are small integers, so that float and half sums are exact.
TEST(MultiUpdateAdd, AccumulatesDuplicatesExactly) {
  std::mt19937 random(2);
  for (const Type &type : {FLOAT, HALF})
    for (const std::size_t dim : {0, 1}) {
      Bench b;
      const std::size_t n = 300, rows = 7, columns = 150;
      std::vector<float> base(rows * columns), slices(n * columns);
      for (auto *values : {&base, &slices})
        for (float &value : *values)
          value = static_cast<float>(random() % 7) - 3;
      std::vector<unsigned> at;
      for (std::size_t i = 0; i < n; ++i)
        at.push_back(random() % (rows + 2)); // some outside
      Tensor t = b.tensor(type, {rows, columns}, base);
      Tensor s = b.tensor(type, {n, 1, columns}, slices);
      if (dim == 1) {
        t = t.transpose();
        s = s.dimShuffle({0, 2, 1});
      }
      const Tensor scale = b.floats({}, {2});
      multiUpdateAdd(b.graph, t, s, offsets(b, at), scale, {dim}, {1}, b.prog,
                     SlicePlan(), {});
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; at[i] < rows && c < columns; ++c)
          base[at[i] * columns + c] += 2 * slices[i * columns + c];
      EXPECT_THAT(b.floatsOf(dim == 1 ? t.transpose() : t),
                  ElementsAreArray(base));
    }
}

TEST(MultiUpdateAdd, TakesOffsetsKnownWhenBuiltAndAnyRank) {
  Bench b;
  const Tensor t = b.ints({2, 2, 1}, {0, 1, 2, 3});
  const Tensor s = b.ints({3, 2, 1, 1}, {10, 20, 30, 40, 50, 60});
  const std::vector<unsigned> at{1, 0, 1};
  multiUpdateAdd(b.graph, t, s, at, b.ints({}, {-1}), 1, b.prog);
  EXPECT_THAT(b.result<int>(t),
              ElementsAre(-30, 1 - 10 - 50, 2 - 40, 3 - 20 - 60));
}

TEST(MultiUpdateAdd, WantsAScalarOfTheSameType) {
  Bench b;
  const Tensor t = b.ints({2, 2}, {}), s = b.ints({1, 1, 2}, {});
  const auto add = [&](const Tensor &scale) {
    multiUpdateAdd(b.graph, t, s, offsets(b, {0}), scale, {0}, {1}, b.prog,
                   SlicePlan(), {});
  };
  EXPECT_THROW(add(b.ints({1}, {1})), poplibs_error);
  EXPECT_THROW(add(b.floats({}, {1})), poplibs_error);
  EXPECT_NO_THROW(add(b.ints({}, {1})));
}

TEST(MultiUpdateAdd, RefusesAnOffsetOutsideThatIsKnownWhenBuilt) {
  Bench b;
  const Tensor t = b.ints({2, 2}, {0, 1, 2, 3});
  const Tensor s = b.ints({2, 1, 2}, {10, 20, 30, 40});
  const Tensor scale = b.ints({}, {1});
  const std::vector<unsigned> at{2, 0};
  EXPECT_THROW(multiUpdateAdd(b.graph, t, s, at, scale, 0, b.prog),
               poplibs_error);
  multiUpdateAdd(b.graph, t, s, at, scale, 0, b.prog, {},
                 {{"paddingIndexUsed", "true"}});
  EXPECT_THAT(b.result<int>(t), ElementsAre(30, 41, 2, 3));
}

TEST(MultiUpdateAdd, StopsAtAnInvalidIndexIfAsked) {
  const OptionFlags validate{{"validateIndices", "true"}};
  for (const unsigned at : {1u, 2u}) {
    Bench add, max;
    for (Bench *b : {&add, &max}) {
      const Tensor t = b->ints({2, 1}, {0, 1}), s = b->ints({1, 1, 1}, {5});
      if (b == &add)
        multiUpdateAdd(b->graph, t, s, offsets(*b, {at}), b->ints({}, {1}), {0},
                       {1}, b->prog, SlicePlan(), validate);
      else
        popops::multiUpdateMax(b->graph, t, s, offsets(*b, {at}), {0}, {1},
                               b->prog, SlicePlan(), validate);
      if (at < 2)
        EXPECT_NO_THROW(b->run());
      else
        EXPECT_THROW(b->run(), std::runtime_error);
    }
  }
}

TEST(MultiUpdateMaxAndMul, CombineInPlace) {
  Bench b;
  const Tensor largest = b.floats({2, 2}, {0, 5, 2, 3});
  const Tensor product = b.floats({2, 2}, {0, 5, 2, 3});
  const Tensor s = b.floats({2, 1, 2}, {1, 4, 7, 2});
  popops::multiUpdateMax(b.graph, largest, s, offsets(b, {0, 0}), {0}, {1},
                         b.prog, SlicePlan(), {});
  popops::multiUpdateMul(b.graph, product, s, offsets(b, {1, 1}), {0}, {1},
                         b.prog, SlicePlan(), {});
  const std::string read = b.watch(product);
  EXPECT_THAT(b.floatsOf(largest), ElementsAre(7, 5, 2, 3));
  EXPECT_THAT(b.read<float>(read, 4), ElementsAre(0, 5, 14, 24));
}

TEST(SlicePlan, IsEqualForEqualProblems) {
  Bench b;
  const auto plan = [&](std::size_t entries) {
    return popops::embedding::plan(b.graph, HALF, entries, 8, {16}, {});
  };
  EXPECT_EQ(plan(3), plan(3));
  EXPECT_NE(plan(3), plan(4));
  EXPECT_NE(plan(3), SlicePlan());
  EXPECT_EQ(SlicePlan(), SlicePlan());
  EXPECT_TRUE(plan(3) < plan(4));
  std::ostringstream text;
  text << plan(3);
  EXPECT_THAT(text.str(), testing::HasSubstr("3 entries of 8 half"));
  EXPECT_THROW(popops::embedding::plan(b.graph, HALF, 3, 8, {16},
                                       {{"operationForUpdate", "div"}}),
               invalid_option);
}

TEST(SlicePlan, MayUseUpToAllMemory) {
  Bench b;
  const auto plan = [&](const char *proportion) {
    popops::embedding::plan(b.graph, HALF, 3, 8, {16},
                            {{"availableMemoryProportion", proportion}});
  };
  EXPECT_NO_THROW(plan("0.001"));
  EXPECT_NO_THROW(plan("1"));
  EXPECT_THROW(plan("0"), invalid_option);
  EXPECT_THROW(plan("1.1"), invalid_option);
}

TEST(SlicePlan, GivesShapes) {
  Bench b;
  const SlicePlan plan = popops::embedding::plan(b.graph, HALF, 9, 8, {4}, {});
  EXPECT_EQ(popops::createIndicesTensor(b.graph, {0}, 4, plan, {}).shape(),
            Shape({4, 1}));
  EXPECT_EQ(
      popops::createSliceTensor(b.graph, HALF, {9, 8}, {0}, {1}, 4, plan, {})
          .shape(),
      Shape({4, 1, 8}));
  EXPECT_EQ(
      popops::createSliceableTensor(b.graph, HALF, {9, 8}, {0}, {1}, plan, {})
          .shape(),
      Shape({9, 8}));
}
