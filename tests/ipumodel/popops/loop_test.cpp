#include "operators.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <poputil/exceptions.hpp>

#include <gmock/gmock.h>

using namespace poplar;
using namespace poplar::program;
using operators::Bench;
using popops::countedForLoop;
using popops::countedLoop;
using poputil::poplibs_error;
using testing::ElementsAre;

namespace {

// total = 10 * total + i: shows each value of the counter, in order.
Sequence appendDigit(Graph &graph, const Tensor &total, const Tensor &i) {
  using namespace popops::expr;
  Sequence prog;
  popops::mapInPlace(graph, _1 * Const(10) + _2, {total, i.reshape({})}, prog);
  return prog;
}

} // namespace

TEST(CountedLoop, GivesTheBodyEachCount) {
  Bench b;
  const Tensor total = b.tensor<unsigned>(UNSIGNED_INT, {}, {0});
  unsigned calls = 0;
  b.prog.add(countedLoop(b.graph, 2, 9, 3, [&](const Tensor &i) {
    ++calls;
    EXPECT_EQ(i.elementType(), UNSIGNED_INT);
    EXPECT_THAT(i.shape(), ElementsAre(1));
    return appendDigit(b.graph, total, i);
  }));
  EXPECT_THAT(b.result<unsigned>(total), ElementsAre(258));
  EXPECT_EQ(calls, 1);
}

TEST(CountedLoop, StartsAgainWhenRunAgain) {
  Bench b;
  const Tensor total = b.tensor<unsigned>(UNSIGNED_INT, {}, {0});
  const Sequence loop = countedLoop(b.graph, 3, [&](const Tensor &i) {
    return appendDigit(b.graph, total, i);
  });
  b.prog.add(loop);
  b.prog.add(loop);
  EXPECT_THAT(b.result<unsigned>(total), ElementsAre(12012));
}

TEST(CountedLoop, WithoutAPassIsAnError) {
  Bench b;
  const auto body = [](const Tensor &) { return Sequence(); };
  EXPECT_THROW(countedLoop(b.graph, 0, body), poplibs_error);
  EXPECT_THROW(countedLoop(b.graph, 4, 4, 1, body), poplibs_error);
  EXPECT_THROW(countedLoop(b.graph, 0, 4, 0, body), poplibs_error);
}

TEST(CountedForLoop, ReadsItsLimitWhenItRuns) {
  Bench b;
  const Tensor total = b.tensor<unsigned>(UNSIGNED_INT, {}, {0});
  const Tensor count = b.variable(UNSIGNED_INT, {1});
  const Tensor limit = b.tensor<unsigned>(UNSIGNED_INT, {1}, {4});
  popops::mapInPlace(b.graph, popops::expr::_1 + popops::expr::Const(3u),
                     {limit}, b.prog);
  b.prog.add(countedForLoop(b.graph, count, 1, limit, 2,
                            appendDigit(b.graph, total, count)));
  EXPECT_THAT(b.result<unsigned>(total), ElementsAre(135));
}

TEST(CountedForLoop, CountsDownAndBelowZero) {
  Bench b;
  const Tensor sum = b.ints({}, {0}), count = b.variable(INT, {});
  const Tensor limit = b.ints({}, {-3});
  Sequence body;
  popops::addInPlace(b.graph, sum, count, body);
  b.prog.add(countedForLoop(b.graph, count, 1, limit, -1, body));
  const std::string end = b.watch(count);
  EXPECT_THAT(b.result<int>(sum), ElementsAre(1 + 0 - 1 - 2));
  EXPECT_THAT(b.read<int>(end, 1), ElementsAre(-3));
}

TEST(CountedForLoop, MayHaveNoPass) {
  Bench b;
  const Tensor sum = b.ints({}, {5});
  Sequence body;
  popops::addInPlace(b.graph, sum, sum, body);
  b.prog.add(countedForLoop(b.graph, 7, b.ints({}, {7}), 1, body));
  EXPECT_THAT(b.result<int>(sum), ElementsAre(5));
}

TEST(CountedForLoop, WantsOneIntegerType) {
  Bench b;
  const Sequence body;
  EXPECT_THROW(countedForLoop(b.graph, b.variable(INT, {}), 0,
                              b.variable(UNSIGNED_INT, {}), 1, body),
               poplibs_error);
  EXPECT_THROW(countedForLoop(b.graph, 0, b.variable(FLOAT, {}), 1, body),
               poplibs_error);
}
