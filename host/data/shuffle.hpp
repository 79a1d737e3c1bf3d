// Random orders that depend on a seed only, not on the platform.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace popscope::host {

// The numbers below `size`, shuffled as Fisher and Yates do. std::shuffle may
// differ between libraries, and a seed should mean the same run everywhere.
inline std::vector<std::size_t> shuffledOrder(std::size_t size,
                                              std::uint64_t seed) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::mt19937_64 random(seed);
  for (std::size_t i = size; i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  return order;
}

// The same order as numpy.random.RandomState(seed).permutation(size): swaps
// from the end, and draws again what a mask of enough bits leaves too large.
// `size` is at most 2^32.
inline std::vector<std::size_t> numpyPermutation(std::size_t size,
                                                 std::uint32_t seed) {
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::mt19937 random(seed);
  std::size_t mask = 1;
  while (mask + 1 < size)
    mask = 2 * mask + 1;
  for (std::size_t last = size; last-- > 1;) {
    while (mask / 2 >= last)
      mask /= 2;
    std::size_t other;
    do
      other = random() & mask;
    while (other > last);
    std::swap(order[last], order[other]);
  }
  return order;
}

} // namespace popscope::host
