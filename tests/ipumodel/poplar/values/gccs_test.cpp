#include <gccs/Algorithm.hpp>
#include <gccs/StructHelper.hpp>

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

TEST(BalancedPartition, PartsAddUpAndDifferByAtMostOne) {
  for (unsigned n = 0; n < 30; ++n)
    for (unsigned d = 1; d < 30; ++d) {
      const auto parts = gccs::balancedPartition(n, d);
      EXPECT_EQ(parts.first + parts.second, d);
      EXPECT_EQ(parts.first * gccs::ceildiv(n, d) +
                    parts.second * gccs::floordiv(n, d),
                n);
    }
}

TEST(BalancedPartition, EqualPartsAreInTheFirstNumber) {
  static_assert(gccs::balancedPartition(20u, 5u).first == 5);
  EXPECT_EQ(gccs::balancedPartition(20u, 5u), std::make_pair(5u, 0u));
  EXPECT_EQ(gccs::balancedPartition(3u, 5u), std::make_pair(3u, 2u));
  EXPECT_EQ(gccs::balancedPartition(1u, 0u), std::make_pair(0u, 0u));
}

struct Layer {
  int size;
  std::vector<int> shape;
  std::string name; // not compared
};

constexpr auto kLayer = gccs::makeStructHelper(&Layer::size, &Layer::shape);

TEST(StructHelper, ComparesTheNamedMembersInOrder) {
  const Layer a{1, {2, 3}, "a"};
  const Layer same{1, {2, 3}, "b"};
  const Layer larger{1, {2, 4}, "a"};
  const Layer first{0, {9}, "a"};
  EXPECT_TRUE(kLayer.eq(a, same));
  EXPECT_FALSE(kLayer.eq(a, larger));
  EXPECT_FALSE(kLayer.lt(a, same));
  EXPECT_TRUE(kLayer.lt(a, larger));
  EXPECT_FALSE(kLayer.lt(larger, a));
  EXPECT_TRUE(kLayer.lt(first, a));
  EXPECT_FALSE(kLayer.lt(a, first));
}

TEST(StructHelper, NeedsNoFunctionToDeduceItsMembers) {
  constexpr gccs::StructHelper helper(&Layer::name);
  EXPECT_TRUE(helper.eq(Layer{1, {}, "x"}, Layer{2, {}, "x"}));
}

} // namespace
