#include "tests/ipumodel/popops/operators.hpp"

#include <popops/Scatter.hpp>
#include <popops/SequenceSlice.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using operators::Bench;
using popops::scatter;
using popops::sequenceSlice;
using poputil::poplibs_error;
using testing::ElementsAre;

TEST(Scatter, LaterSlicesReplaceEarlierOnes) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {0, 1, 2, 3, 4, 5});
  scatter(b.graph, t, b.tensor<unsigned>(UNSIGNED_INT, {3}, {2, 0, 2}),
          b.ints({3, 2}, {10, 11, 20, 21, 30, 31}), 1, {1}, {0}, {0}, b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(20, 21, 2, 3, 30, 31));
}

TEST(Scatter, PutsWindowsWithoutAnOffsetAtTheBeginning) {
  Bench b;
  const Tensor t = b.ints({2, 4}, {0, 0, 0, 0, 0, 0, 0, 0});
  // Windows of [1, 2] at rows 1 and 0.
  scatter(b.graph, t, b.ints({2}, {1, 0}), b.ints({2, 1, 2}, {1, 2, 3, 4}), 1,
          {1, 2}, {}, {0}, b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(3, 4, 0, 0, 1, 2, 0, 0));
}

TEST(Scatter, HandlesIndicesOutOfRangeAsAsked) {
  const auto scattered = [](const OptionFlags &options) {
    Bench b;
    const Tensor t = b.ints({3}, {1, 2, 3});
    scatter(b.graph, t, b.ints({2}, {-1, 2}), b.ints({2}, {10, 20}), 1, {}, {0},
            {0}, b.prog, {}, options);
    return b.result<int>(t);
  };
  EXPECT_THAT(scattered({}), ElementsAre(1, 2, 20));
  EXPECT_THAT(scattered({{"remapOutOfBoundIndices", "true"}}),
              ElementsAre(10, 2, 20));
}

TEST(Scatter, IgnoresWindowDimensionsThatUpdatesDoNotHave) {
  Bench b;
  const Tensor t = b.ints({3}, {1, 2, 3});
  scatter(b.graph, t, b.ints({2}, {2, 0}), b.ints({2}, {10, 20}), 1, {1}, {0},
          {0}, b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(20, 2, 10));
}

TEST(Scatter, GivesThePresentSliceFirst) {
  Bench b;
  const Tensor t = b.ints({3}, {1, 2, 3});
  popops::UpdateComputationFunc first = [](Graph &, Tensor &present, Tensor &,
                                           program::Sequence &) {
    return present;
  };
  scatter(b.graph, t, b.ints({2}, {0, 1}), b.ints({2}, {10, 20}), 1, {}, {0},
          {0}, first, b.prog);
  EXPECT_THAT(b.result<int>(t), ElementsAre(1, 2, 3));
}

TEST(Scatter, OfTensorsThatDoNotFitIsAnError) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {}), index = b.ints({2}, {});
  EXPECT_THROW(
      scatter(b.graph, t, index, b.ints({3, 2}, {}), 1, {1}, {0}, {0}, b.prog),
      poplibs_error);
  EXPECT_THROW(
      scatter(b.graph, t, index, b.ints({2, 3}, {}), 1, {1}, {0}, {0}, b.prog),
      poplibs_error);
  EXPECT_THROW(scatter(b.graph, t, index, b.floats({2, 2}, {}), 1, {1}, {0},
                       {0}, b.prog),
               poplibs_error);
  EXPECT_THROW(scatter(b.graph, t, b.floats({2}, {}), b.ints({2, 2}, {}), 1,
                       {1}, {0}, {0}, b.prog),
               poplibs_error);
  try {
    scatter(b.graph, t, index, b.ints({2, 2}, {}), 2, {1}, {0}, {0}, b.prog);
    FAIL();
  } catch (const poplibs_error &error) {
    EXPECT_STREQ(error.what(),
                 "scatter: indices of shape {2} have no dimension 2");
  }
}

TEST(SequenceSlice, IgnoresRowsOutsideTheTensors) {
  Bench b;
  const Tensor in = b.ints({3, 1}, {1, 2, 3}), out = b.ints({3, 1}, {7, 8, 9});
  const auto list = [&](const std::vector<unsigned> &values) {
    return b.tensor<unsigned>(UNSIGNED_INT, {values.size()}, values);
  };
  sequenceSlice(b.graph, in, out, list({5, 2, 1}), list({2, 0, 9}),
                list({0, 2, 1}), false, b.prog);
  EXPECT_THAT(b.result<int>(out), ElementsAre(3, 8, 1));
}

TEST(SequenceSlice, OfTensorsThatDoNotFitIsAnError) {
  Bench b;
  const Tensor t = b.ints({3, 2}, {}), n = b.variable(UNSIGNED_INT, {2});
  const auto fails = [&](const Tensor &in, const Tensor &out,
                         const Tensor &lengths) {
    try {
      sequenceSlice(b.graph, in, out, lengths, n, n, true, b.prog);
      return false;
    } catch (const graph_connection_error &error) {
      return std::string(error.what()).find("sequenceSlice: ") == 0;
    }
  };
  EXPECT_TRUE(fails(t, b.ints({3, 3}, {}), n));
  EXPECT_TRUE(fails(t, b.floats({3, 2}, {}), n));
  EXPECT_TRUE(fails(t, t.broadcast(2, 0), n));
  EXPECT_TRUE(fails(b.ints({6}, {}), t, n));
  EXPECT_TRUE(fails(t, t, b.variable(UNSIGNED_INT, {3})));
  EXPECT_TRUE(fails(t, t, b.variable(INT, {2})));
}
