#include "graph/layers/initializers.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

namespace popscope::graph {
namespace {

StateTensor stateOf(const char *name, std::vector<std::size_t> shape) {
  return {name, std::move(shape), poplar::FLOAT, true};
}

TEST(Initializers, KernelsAreUniformWithinGlorotsLimit) {
  const auto values = initialValue(stateOf("conv/kernel:0", {3, 3, 32, 64}), 1);
  const double limit = std::sqrt(6.0 / (9.0 * (32.0 + 64.0)));
  ASSERT_EQ(values.size(), 3u * 3u * 32u * 64u);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -limit);
  EXPECT_LE(*high, limit);
  EXPECT_LT(*low, -0.99 * limit);
  EXPECT_GT(*high, 0.99 * limit);
  // The variance of a uniform distribution is a third of its limit squared.
  const double squares =
      std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  EXPECT_NEAR(squares / double(values.size()) / (limit * limit / 3.0), 1.0,
              0.03);
}

TEST(Initializers, BiasesAreZero) {
  EXPECT_EQ(initialValue(stateOf("conv/bias:0", {5}), 1),
            std::vector<float>(5, 0.0f));
}

TEST(Initializers, SeedAndNameDecide) {
  const auto kernel = stateOf("a/kernel:0", {4, 4});
  EXPECT_EQ(initialValue(kernel, 1), initialValue(kernel, 1));
  EXPECT_NE(initialValue(kernel, 1), initialValue(kernel, 2));
  EXPECT_NE(initialValue(kernel, 1),
            initialValue(stateOf("b/kernel:0", {4, 4}), 1));
}

} // namespace
} // namespace popscope::graph
