// Sums of scaled rows: what the gradients of a convolution come down to where
// the gradient of its output is mostly zero, as it is behind a ReLU and a
// maximum.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// Rows `factors[i] * base[offsets[i] ...]`, i < count.
struct SparseFactors {
  const std::uint32_t *offsets;
  const float *factors;
  std::size_t count;
};

// Lines of elements, `step` from one to the next.
struct Lines {
  std::size_t count;
  std::size_t length;
  std::size_t baseStep, sumStep;
};

// sum[line][i] += the rows, each from `base` of its line; every element sums in
// the order of the rows.
void addSparseProduct(const SparseFactors &rows, const Lines &lines,
                      const float *base, float *sum);

// The elements of x that are not zero, in order: their indices and values, and
// up to kNonZeroSlack more that mean nothing. Returns how many; if there are
// more than `limit`, it writes none and may stop counting.
constexpr std::size_t kNonZeroSlack = 64;
std::size_t findNonZero(const float *x, std::size_t n, std::size_t limit,
                        std::uint32_t *indices, float *values);

// Of `count` elements, how many may be other than zero so that adding scaled
// rows beats a product that does not care: rows are added at somewhat less than
// half the speed of products.
constexpr std::size_t sparseLimit(std::size_t count) { return count * 9 / 20; }

} // namespace ipumodel
