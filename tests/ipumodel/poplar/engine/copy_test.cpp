#include "model.hpp"

#include <gmock/gmock.h>
#include <numeric>
#include <random>

using namespace poplar;
using namespace poplar::program;
using enginetest::iota;
using enginetest::Model;
using testing::ElementsAre;

TEST(Copy, FollowsTheRowMajorOrderOfBothViews) {
  Model m;
  const Tensor a = m.add(FLOAT, {2, 3}, "a");
  const Tensor b = m.add(FLOAT, {3, 2}, "b");
  m.load(Copy(a.transpose(), b));
  m.write("a", iota<float>(6));
  m.engine->run();
  EXPECT_THAT(m.read<float>("b", 6), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(Copy, ReadsTheSourceBeforeWritingAnOverlappingDestination) {
  Model m;
  const Tensor a = m.add(INT, {6}, "a");
  m.load(Copy(a.slice(0, 5), a.slice(1, 6)));
  m.write("a", iota<int>(6));
  m.engine->run();
  EXPECT_THAT(m.read<int>("a", 6), ElementsAre(0, 0, 1, 2, 3, 4));
}

TEST(Copy, SwapsThroughOneProgram) {
  Model m;
  const Tensor a = m.add(INT, {4}, "a");
  m.load(Copy(a.reverse(0), a));
  m.write("a", iota<int>(4));
  m.engine->run();
  EXPECT_THAT(m.read<int>("a", 4), ElementsAre(3, 2, 1, 0));
}

TEST(Copy, SpreadsABroadcastSource) {
  Model m;
  const Tensor a = m.add(INT, {2}, "a");
  const Tensor b = m.add(INT, {2, 3}, "b");
  m.load(Copy(a.expand({1}).broadcast(3, 1), b));
  m.write("a", std::vector<int>{7, 9});
  m.engine->run();
  EXPECT_THAT(m.read<int>("b", 6), ElementsAre(7, 7, 7, 9, 9, 9));
}

TEST(Copy, MovesEveryElementSize) {
  const auto check = [](const Type &type, auto sample) {
    using T = decltype(sample);
    Model m;
    const Tensor a = m.add(type, {5, 7}, "a");
    const Tensor b = m.add(type, {7, 5}, "b");
    m.load(Copy(a.transpose(), b));
    m.write("a", iota<T>(35, 1));
    m.engine->run();
    const std::vector<T> got = m.read<T>("b", 35);
    for (std::size_t i = 0; i < 7; ++i)
      for (std::size_t j = 0; j < 5; ++j)
        EXPECT_EQ(got[i * 5 + j], static_cast<T>(1 + j * 7 + i)) << type;
  };
  check(UNSIGNED_CHAR, static_cast<unsigned char>(0));
  check(HALF, static_cast<unsigned short>(0));
  check(INT, 0);
  check(LONGLONG, 0LL);
}

// Large enough to use every kernel and several threads.
TEST(Copy, TransposesLargeTensors) {
  const std::size_t rows = 517, columns = 1031;
  Model m;
  const Tensor a = m.add(FLOAT, {rows, columns}, "a");
  const Tensor b = m.add(FLOAT, {columns, rows}, "b");
  m.load(Copy(a.transpose(), b));
  m.write("a", iota<float>(rows * columns));
  m.engine->run();
  const std::vector<float> got = m.read<float>("b", rows * columns);
  for (std::size_t i = 0; i < columns; ++i)
    for (std::size_t j = 0; j < rows; ++j)
      ASSERT_EQ(got[i * rows + j], static_cast<float>(j * columns + i));
}

TEST(Copy, MatchesElementwiseMovesForRandomViews) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return random() % n; };
  for (int trial = 0; trial < 60; ++trial) {
    Model m;
    const Tensor source = m.add(INT, {4, 6, 5}, "src");
    const Tensor target = m.add(INT, {4 * 6 * 5}, "dst");
    Tensor view = source;
    for (int step = 0; step < 4; ++step) {
      const unsigned dim = static_cast<unsigned>(below(view.rank()));
      switch (below(5)) {
      case 0:
        view = view.reverse(dim);
        break;
      case 1: {
        std::vector<unsigned> order(view.rank());
        std::iota(order.begin(), order.end(), 0u);
        std::shuffle(order.begin(), order.end(), random);
        view = view.dimShuffle(order);
        break;
      }
      case 2: {
        const std::size_t cut = below(view.dim(dim) + 1);
        view = concat(view.slice(cut, view.dim(dim), dim),
                      view.slice(0, cut, dim), dim);
        break;
      }
      case 3:
        view = view.flatten();
        break;
      default:
        view = view.flatten().reshape({10, 12});
      }
    }
    m.load(Copy(view, target));
    m.write("src", iota<int>(120));
    m.engine->run();
    const std::vector<int> got = m.read<int>("dst", 120);
    std::size_t at = 0;
    for (const VariableInterval &region : view.getVarRegions())
      for (std::size_t e = region.interval.begin(); e < region.interval.end();
           ++e)
        ASSERT_EQ(got[at++], static_cast<int>(e)) << "trial " << trial;
    EXPECT_EQ(at, 120u);
  }
}

TEST(Copy, OfZeroElementsDoesNothing) {
  Model m;
  const Tensor a = m.add(INT, {4}, "a");
  const Tensor b = m.add(INT, {4}, "b");
  m.load(Sequence({Copy(a.slice(2, 2), b.slice(0, 0)), Copy(a, b)}));
  m.write("a", iota<int>(4));
  m.engine->run();
  EXPECT_THAT(m.read<int>("b", 4), ElementsAre(0, 1, 2, 3));
}
