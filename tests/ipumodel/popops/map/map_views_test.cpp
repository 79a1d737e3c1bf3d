// Element-wise operations on operands with different layouts in memory.
#include "tests/ipumodel/popops/operators.hpp"

#include <popops/ElementWise.hpp>

#include <gtest/gtest.h>

using namespace poplar;
using namespace popops::expr;
using operators::Bench;
using operators::counting;
using popops::map;

TEST(MapViews, BroadcastColumnsMeetRowsOfSeveralPieces) {
  for (const Type &type : {FLOAT, HALF}) {
    Bench b;
    const Tensor left = b.tensor(type, {3, 2}, counting(6)),
                 right = b.tensor(type, {3, 5}, counting(15)),
                 column = b.tensor<float>(type, {3, 1}, {100, 200, 300});
    const std::vector<float> sums = b.floatsOf(
        map(b.graph, _1 + _2, {concat(left, right, 1), column}, b.prog));
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t i = 0; i < 7; ++i)
        EXPECT_EQ(
            sums[row * 7 + i],
            float(100 * (row + 1) + (i < 2 ? 2 * row + i : 5 * row + i - 2)))
            << type << ' ' << row << ' ' << i;
  }
}

TEST(MapViews, NestsNeedNotDivideEachOther) {
  Bench b;
  const std::vector<float> values = counting(12);
  const Tensor x = b.floats({12}, values), y = b.floats({4, 3}, values),
               z = b.floats({6, 2}, values);
  const std::vector<float> sums = b.floatsOf(
      map(b.graph, _1 + _2 * 100.0f + _3 * 10000.0f,
          {x, y.transpose().flatten(), z.transpose().flatten()}, b.prog));
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(sums[i], float(i + 100 * (i % 4 * 3 + i / 4) +
                             10000 * (i % 6 * 2 + i / 6)))
        << i;
}

TEST(MapViews, PeriodsNeedNotBeginTogether) {
  Bench b;
  constexpr std::size_t kCount = 60000;
  const Tensor repeated = b.floats({3}, {0, 1, 2}).broadcast(kCount / 3 + 1, 0);
  const std::vector<float> sums = b.floatsOf(
      map(b.graph, _1 + _2 * 10.0f,
          {repeated.slice(0, kCount), repeated.slice(1, kCount + 1)}, b.prog));
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(sums[i], float(i % 3 + (i + 1) % 3 * 10)) << i;
}
