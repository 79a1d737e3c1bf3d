#include "tests/ipumodel/popops/operators.hpp"

#include <popops/CircBuf.hpp>
#include <popops/Gather.hpp>
#include <popops/GatherStatistics.hpp>
#include <popops/Pad.hpp>
#include <poputil/exceptions.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <random>

using namespace poplar;
using operators::Bench;
using operators::Shape;
using popops::gather;
using popops::histogram;
using popops::pad;
using popops::padding::MappingMethod;
using poputil::poplibs_error;
using testing::ElementsAre;
using testing::ElementsAreArray;

TEST(Gather, FlattensItsIndices) {
  Bench b;
  const Tensor t = b.ints({2, 3}, {0, 1, 2, 3, 4, 5});
  const Tensor indices = b.tensor<unsigned>(UNSIGNED_INT, {2, 2}, {2, 0, 0, 1});
  const Tensor columns = gather(b.graph, t, indices, 1, b.prog, {});
  const Tensor rows = gather(b.graph, t, indices[1], 0, b.prog, {});
  EXPECT_EQ(columns.shape(), Shape({2, 4}));
  EXPECT_EQ(rows.shape(), Shape({2, 3}));
  const std::string read = b.watch(rows);
  EXPECT_THAT(b.result<int>(columns), ElementsAre(2, 0, 0, 1, 5, 3, 3, 4));
  EXPECT_THAT(b.read<int>(read, 6), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THROW(gather(b.graph, t, indices, 2, b.prog, {}), poplibs_error);
}

TEST(Gather, MakesItsInput) {
  Bench b;
  const Tensor t = popops::createGatherInput(b.graph, HALF, {4, 5}, 1);
  EXPECT_EQ(t.shape(), Shape({4, 5}));
  EXPECT_EQ(t.elementType(), HALF);
}

TEST(Gather, TakesVectorsOfIndices) {
  Bench b;
  std::vector<int> values;
  for (int i = 0; i < 24; ++i)
    values.push_back(i);
  const Tensor t = b.ints({2, 3, 4}, values);
  // Three elements of the first two dimensions, each with half of the third.
  const Tensor indices =
      b.tensor<unsigned>(UNSIGNED_INT, {2, 3}, {0, 1, 1, 2, 0, 2});
  const Tensor out =
      gather(b.graph, t, indices, 0, {0}, {1, 1, 2}, {0, 1}, {0, 1}, b.prog);
  EXPECT_EQ(out.shape(), Shape({2, 3}));
  EXPECT_THAT(b.result<int>(out), ElementsAre(8, 12, 20, 9, 13, 21));
  EXPECT_THROW(
      gather(b.graph, t, indices, 0, {0}, {1, 2, 2}, {0, 1}, {0, 1}, b.prog),
      poplibs_error);
  EXPECT_THROW(
      gather(b.graph, t, indices, 3, {0}, {1, 1, 2}, {0, 1}, {0, 1}, b.prog),
      poplibs_error);
}

TEST(Gather, WantsDimensionsThatExist) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {});
  const Tensor indices = b.tensor<unsigned>(UNSIGNED_INT, {2, 1}, {2, 0});
  const auto gatherAlong = [&](std::size_t offsetDim, std::size_t collapsed,
                               unsigned start) {
    gather(b.graph, t, indices, 1, {offsetDim}, {1, 2}, {collapsed}, {start},
           b.prog);
  };
  EXPECT_NO_THROW(gatherAlong(1, 0, 0));
  EXPECT_THROW(gatherAlong(2, 0, 0), poplibs_error);
  EXPECT_THROW(gatherAlong(1, 2, 0), poplibs_error);
  EXPECT_THROW(gatherAlong(1, 0, 2), poplibs_error);
  EXPECT_THROW(popops::createGatherInput(b.graph, INT, {3, 2},
                                         std::vector<std::size_t>{1}, {1}),
               poplibs_error);
}

TEST(Gather, TakesSinglesAsVectorsOfOne) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {0, 1, 2, 3, 4, 5});
  const Tensor indices = b.tensor<unsigned>(UNSIGNED_INT, {2}, {2, 0});
  const Tensor out =
      gather(b.graph, t, indices, 1, {1}, {1, 2}, {0}, {0}, b.prog);
  EXPECT_EQ(out.shape(), Shape({2, 2}));
  EXPECT_THAT(b.result<int>(out), ElementsAre(4, 5, 0, 1));
  EXPECT_EQ(
      popops::createGatherInput(b.graph, INT, {3, 2}, {1, 2}, {0}).shape(),
      Shape({3, 2}));
}

TEST(Histogram, CountsExactlyWithNaNLast) {
  for (const Type &type : {FLOAT, HALF}) {
    Bench b;
    std::mt19937 random(4);
    const std::vector<float> levels{-1, 0, 0.5f, 2};
    std::vector<float> values(70000);
    std::vector<unsigned> expected(levels.size() + 1);
    for (float &x : values) {
      x = static_cast<float>(random() % 33) / 4 - 4; // often on a level
      if (random() % 10 == 0)
        x = std::nanf("");
      std::size_t bin = 0;
      while (bin < levels.size() && !(x < levels[bin]))
        ++bin;
      ++expected[bin];
    }
    const Tensor counts = histogram(b.graph, b.tensor(type, {7, 10000}, values),
                                    b.tensor(type, {4}, levels), false, b.prog);
    EXPECT_EQ(counts.elementType(), UNSIGNED_INT);
    EXPECT_THAT(b.result<unsigned>(counts), ElementsAreArray(expected));
  }
}

TEST(Histogram, MayDropTheSign) {
  Bench b;
  const Tensor counts = histogram(b.graph, b.floats({3}, {-3, 1, 3}),
                                  b.floats({1}, {2}), true, b.prog);
  EXPECT_THAT(b.result<unsigned>(counts), ElementsAre(1, 2));
}

TEST(Histogram, AddsToOrReplacesItsOutput) {
  Bench b;
  const Tensor x = b.floats({3}, {0, 1, 2}), levels = b.floats({1}, {1});
  const Tensor before = b.tensor<unsigned>(UNSIGNED_INT, {2}, {10, 20});
  Tensor sum = before, fresh = before;
  histogram(b.graph, x, sum, true, levels, false, b.prog);
  histogram(b.graph, x, fresh, false, levels, false, b.prog);
  EXPECT_EQ(sum, before);
  EXPECT_NE(fresh, before);
  const std::string read = b.watch(fresh);
  EXPECT_THAT(b.result<unsigned>(sum), ElementsAre(11, 22));
  EXPECT_THAT(b.read<unsigned>(read, 2), ElementsAre(1, 2));
}

TEST(Histogram, OfFloatsStaysInItsOutput) {
  const OptionFlags inFloat{
      {"useFloatArithmeticWithUnsignedIntOutput", "true"}};
  for (const bool update : {false, true}) {
    Bench b;
    const Tensor x = b.floats({3}, {0, 1, 2}), levels = b.floats({1}, {1});
    const Tensor before = b.floats({2}, {10, 20});
    Tensor counts = before;
    histogram(b.graph, x, counts, update, levels, false, b.prog);
    EXPECT_EQ(counts, before);
    EXPECT_THROW(histogram(b.graph, x, counts, update, levels, false, b.prog,
                           {}, inFloat),
                 poplibs_error);
    EXPECT_EQ(b.floatsOf(counts), update ? std::vector<float>({11, 22})
                                         : std::vector<float>({1, 2}));
  }
}

TEST(Histogram, AddsToCountsOnly) {
  Bench b;
  const Tensor x = b.floats({3}, {0, 1, 2}), levels = b.floats({1}, {1});
  Tensor ints = b.ints({2}, {});
  EXPECT_THROW(histogram(b.graph, x, ints, true, levels, false, b.prog),
               poplibs_error);
}

TEST(Histogram, GivesFloatsIfAsked) {
  Bench b;
  const Tensor x = b.floats({3}, {0, 1, 2}), levels = b.floats({1}, {1});
  const OptionFlags asFloat{{"useFloatArithmetic", "true"}};
  const Tensor counts =
      histogram(b.graph, x, levels, false, b.prog, {}, asFloat);
  EXPECT_EQ(counts.elementType(), FLOAT);
  EXPECT_THAT(b.floatsOf(counts), ElementsAre(1, 2));
  Tensor out = counts;
  EXPECT_THROW(
      histogram(b.graph, x, out, false, levels, false, b.prog, {}, asFloat),
      invalid_option);
  EXPECT_THROW(histogram(b.graph, x, levels, false, b.prog, {},
                         {{"useFloatArithmetic", "true"},
                          {"useFloatArithmeticWithUnsignedIntOutput", "true"}}),
               invalid_option);
}

TEST(Histogram, WantsLevelsOfTheSameType) {
  Bench b;
  EXPECT_THROW(
      histogram(b.graph, b.floats({1}, {1}), b.halves({1}, {1}), false, b.prog),
      poplibs_error);
}

TEST(Pad, AddsAConstantAndCutsOff) {
  Bench b;
  const Tensor t = b.ints({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor padded = pad(b.graph, t, {1, -1}, {0, 1}, 9);
  EXPECT_EQ(padded.shape(), Shape({3, 3}));
  EXPECT_THAT(b.result<int>(padded), ElementsAre(9, 9, 9, 2, 3, 9, 5, 6, 9));
  EXPECT_THROW(pad(b.graph, t, {1}, {0}), poplibs_error);
  EXPECT_THROW(pad(b.graph, t, -2, -2, 1), poplibs_error);
  EXPECT_THROW(pad(b.graph, t, 1, 1, 2), poplibs_error);
}

TEST(Pad, TakesAFloatOrATensor) {
  Bench b;
  const Tensor t = b.halves({2}, {1, 2});
  const Tensor half = pad(b.graph, t, 1, 0, 0, 0.5f);
  const Tensor tensor = pad(b.graph, half, 0, 2, 0, b.halves({}, {7}));
  EXPECT_THAT(b.floatsOf(tensor), ElementsAre(0.5f, 1, 2, 7, 7));
}

TEST(Pad, MapsItsConstantAsAsked) {
  Bench b(4);
  const Tensor t = b.graph.addVariable(INT, {2});
  b.graph.setTileMapping(t[0], 1);
  b.graph.setTileMapping(t[1], 3);
  const auto tileOf = [&](const Tensor &element) {
    const auto mapping = b.graph.getTileMapping(element);
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      if (!mapping[tile].empty())
        return tile;
    return ~0u;
  };
  const Tensor edge = pad(b.graph, t, 1, 1, 0, 0, MappingMethod::EDGE);
  EXPECT_EQ(tileOf(edge[0]), 1);
  EXPECT_EQ(tileOf(edge[3]), 3);
  EXPECT_EQ(tileOf(pad(b.graph, t, 0, 1, 0, 0)[2]), 0);
}

TEST(Pad, RepeatsOrReflectsTheEdges) {
  Bench b;
  const Tensor t = b.ints({3}, {1, 2, 3});
  const Tensor edge = pad(t, {2}, {1}, popops::padding::Type::EDGE);
  const Tensor reflected = pad(t, 2, 1, 0, popops::padding::Type::REFLECT);
  const std::string read = b.watch(reflected);
  EXPECT_THAT(b.result<int>(edge), ElementsAre(1, 1, 1, 2, 3, 3));
  EXPECT_THAT(b.read<int>(read, 6), ElementsAre(3, 2, 1, 2, 3, 2));
  EXPECT_THROW(pad(t, 3, 0, 0, popops::padding::Type::REFLECT), poplibs_error);
}

TEST(CircBuf, HoldsTheLastTensors) {
  Bench b;
  popops::CircBuf buffer(b.graph, INT, 3, {2});
  for (int i = 0; i < 5; ++i)
    buffer.add(b.ints({2}, {i, 10 * i}), b.prog);
  const Tensor newest = buffer.prev(0, b.prog), oldest = buffer.prev(2, b.prog);
  EXPECT_EQ(buffer.size(), 3);
  EXPECT_EQ(b.graph.getTileMapping(newest), buffer.getTileMapping());
  const std::string read = b.watch(oldest), index = b.watch(buffer.getIndex());
  EXPECT_THAT(b.result<int>(newest), ElementsAre(4, 40));
  EXPECT_THAT(b.read<int>(read, 2), ElementsAre(2, 20));
  EXPECT_THAT(b.read<unsigned>(index, 1), ElementsAre(5 % 3));
  EXPECT_THROW(buffer.prev(3, b.prog), poplibs_error);
  EXPECT_THROW(buffer.add(b.ints({3}, {}), b.prog), poplibs_error);
}
