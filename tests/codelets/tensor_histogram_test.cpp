#include "graph/device_histogram.hpp"
#include "tests/support/tensor_program.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace popscope::graph {
namespace {

std::vector<unsigned> histogramOf(const std::vector<float> &values,
                                  const LinearBuckets &buckets,
                                  unsigned tiles) {
  return tests::runOn(
      values, poplar::FLOAT, tests::evenly(values.size(), tiles),
      [&](poplar::Graph &graph, const poplar::Tensor &tensor, auto &prog) {
        return addTensorHistogram(graph, tensor, buckets, prog);
      });
}

TEST(TensorHistogram, CountsEveryElementOnce) {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> values{-1.0f, -inf, 0.0f, 0.49f, 0.5f,
                                  1.99f, 2.0f, inf,  nan,   nan};
  EXPECT_EQ(histogramOf(values, {0.0f, 2.0f, 4}, 1),
            (std::vector<unsigned>{2, 2, 1, 0, 1, 2, 2}));
}

TEST(TensorHistogram, DoesNotDependOnTheTiles) {
  std::vector<float> values;
  for (int i = 0; i < 12000; ++i)
    values.push_back(float(i % 97) / 97.0f);
  const auto whole = histogramOf(values, {0.0f, 1.0f, 30}, 1);
  for (const unsigned tiles : {2u, 5u, 64u})
    EXPECT_EQ(histogramOf(values, {0.0f, 1.0f, 30}, tiles), whole) << tiles;
}

TEST(TensorHistogram, RefusesBucketsWithoutWidth) {
  EXPECT_THROW(histogramOf({1.0f}, {1.0f, 1.0f, 3}, 1), std::invalid_argument);
  EXPECT_THROW(histogramOf({1.0f}, {0.0f, 1.0f, 0}, 1), std::invalid_argument);
}

} // namespace
} // namespace popscope::graph
