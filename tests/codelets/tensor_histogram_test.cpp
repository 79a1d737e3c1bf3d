#include "graph/taps/device_histogram.hpp"
#include "tests/support/tensor_program.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::graph {
namespace {

template <class Element>
std::vector<unsigned> histogramOf(const std::vector<Element> &values,
                                  const LinearBuckets &buckets, unsigned tiles,
                                  const poplar::Type &type = poplar::FLOAT) {
  return tests::runOn(
      values, type, tests::evenly(values.size(), tiles),
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

TEST(TensorHistogram, OfNothingIsEmpty) {
  EXPECT_EQ(histogramOf(std::vector<float>(), {0.0f, 1.0f, 2}, 1),
            std::vector<unsigned>(5, 0));
}

// As the device computes them, all halves have a place among the floats, even
// those that are not finite.
TEST(TensorHistogram, OfEveryHalfHasNoInfinityInABucket) {
  std::vector<std::uint16_t> bits(65536);
  for (unsigned i = 0; i < bits.size(); ++i)
    bits[i] = std::uint16_t(i);
  EXPECT_EQ(histogramOf(bits, {-131072.0f, 131072.0f, 1}, 3, poplar::HALF),
            (std::vector<unsigned>{1, 2 * 0x7c00, 1, 2 * 1023}));
}

TEST(TensorHistogram, AddsUpMorePartsThanAVertexReads) {
  constexpr unsigned kTiles = 64, kPartsOfATile = 2, kElements = 4096;
  const std::vector<int> values(kTiles * kPartsOfATile * kElements, 1);
  EXPECT_EQ(histogramOf(values, {0.0f, 2.0f, 2}, kTiles, poplar::INT),
            (std::vector<unsigned>{0, 0, unsigned(values.size()), 0, 0}));
}

TEST(TensorHistogram, RefusesBucketsWithoutWidth) {
  const std::vector<float> one{1.0f};
  EXPECT_THROW(histogramOf(one, {1.0f, 1.0f, 3}, 1), std::invalid_argument);
  EXPECT_THROW(histogramOf(one, {0.0f, 1.0f, 0}, 1), std::invalid_argument);
}

} // namespace
} // namespace popscope::graph
