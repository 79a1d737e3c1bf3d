#include "small_device.hpp"

#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>

#include <gtest/gtest.h>

using namespace poputil;

namespace {

using Shape = std::vector<std::size_t>;

class Broadcast : public testing::Test {
protected:
  poplar::Tensor tensor(const Shape &shape) { return device.counting(shape); }

  SmallDevice device{4};
};

TEST_F(Broadcast, RanksMatchByLeadingSingletons) {
  auto a = tensor({3}), b = tensor({4, 5, 6});
  expandToMatchRanks(a, b);
  EXPECT_EQ(a.shape(), (Shape{1, 1, 3}));
  EXPECT_EQ(b.shape(), (Shape{4, 5, 6}));
  expandToMatchRanks(b, a);
  EXPECT_EQ(a.shape(), (Shape{1, 1, 3}));
}

TEST_F(Broadcast, BothTensorsGrowWhereTheyAreSingular) {
  auto a = tensor({4, 1, 3}), b = tensor({2, 1});
  EXPECT_TRUE(canBroadcastToMatch(a, b));
  broadcastToMatch(a, b);
  EXPECT_EQ(a.shape(), (Shape{4, 2, 3}));
  EXPECT_EQ(b.shape(), (Shape{4, 2, 3}));
}

TEST_F(Broadcast, ElementsAreRepeatedAndNotCopied) {
  const auto column = tensor({2, 1});
  auto t = column;
  broadcastToMatch(t, Shape{3, 2, 4});
  EXPECT_EQ(t[2][1][3], column[1][0]);
  EXPECT_EQ(t[0][0][1], column[0][0]);
  EXPECT_TRUE(t.containsAliases());
}

TEST_F(Broadcast, ThreeTensorsReachOneShape) {
  auto a = tensor({3, 1}), b = tensor({1, 4}), c = tensor({2, 1, 1});
  broadcastToMatch(a, b, c);
  for (const auto &t : {a, b, c})
    EXPECT_EQ(t.shape(), (Shape{2, 3, 4}));
}

TEST_F(Broadcast, AScalarMatchesEverything) {
  auto scalar = tensor({}), t = tensor({2, 3});
  EXPECT_TRUE(canBroadcastToMatch(scalar, t));
  broadcastToMatch(scalar, t);
  EXPECT_EQ(scalar.shape(), (Shape{2, 3}));
}

TEST_F(Broadcast, DifferentSizesThrowAndLeaveTheTensor) {
  auto a = tensor({2, 3}), b = tensor({2, 4});
  EXPECT_FALSE(canBroadcastToMatch(a, b));
  EXPECT_THROW(broadcastToMatch(a, b), poplibs_error);
  EXPECT_THROW(broadcastToMatch(a, Shape{5, 3}), poplibs_error);
  EXPECT_EQ(a.shape(), (Shape{2, 3}));
}

TEST_F(Broadcast, AShapeOfLowerRankThrows) {
  auto a = tensor({1, 3});
  EXPECT_THROW(broadcastToMatch(a, Shape{3}), poplibs_error);
}

} // namespace
