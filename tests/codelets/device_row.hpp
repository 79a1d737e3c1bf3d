// The row that a device makes of values.
#pragma once

#include "codelets/row_merge.hpp"
#include "graph/taps/device_stats.hpp"
#include "tests/support/tensor_program.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace popscope::tests {

template <class Element>
StatsRow statsOf(const std::vector<Element> &values, const poplar::Type &type,
                 const Placement &placement,
                 StatsTier tier = StatsTier::identity) {
  const auto words = runOn(
      values, type, placement,
      [&](poplar::Graph &graph, const poplar::Tensor &tensor, auto &prog) {
        return graph::addTensorStats(graph, tensor, tier, prog).row;
      });
  EXPECT_EQ(words.size(), rowWords(tier));
  return loadRow(words.data(), tier);
}

inline StatsRow statsOf(const std::vector<float> &values, unsigned tiles = 3,
                        StatsTier tier = StatsTier::identity) {
  return statsOf(values, poplar::FLOAT, evenly(values.size(), tiles), tier);
}

inline std::vector<float> gaussian(std::size_t n, float mean, float deviation,
                                   unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(mean, deviation);
  std::vector<float> values(n);
  std::generate(values.begin(), values.end(),
                [&] { return distribution(random); });
  return values;
}

} // namespace popscope::tests
