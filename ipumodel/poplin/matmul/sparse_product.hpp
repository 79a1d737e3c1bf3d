// Products with sparse factors, as sums of scaled rows: used for gradients of a
// convolution when the gradient of its output is mostly zero, as after a ReLU
// and max pooling.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// The rows `factors[i] * base[offsets[i] ...]`, i < count.
struct SparseFactors {
  const std::uint32_t *offsets;
  const float *factors;
  std::size_t count;
};

// Lines of elements, `step` elements apart.
struct Lines {
  std::size_t count;
  std::size_t length;
  std::size_t baseStep, sumStep;
};

// Adds the rows, relative to `base` of each line, to sum[line]. Every element
// is summed in the order of the rows.
void addSparseProduct(const SparseFactors &rows, const Lines &lines,
                      const float *base, float *sum);

// Writes the indices and values of the non-zero elements of x, in order, and up
// to kNonZeroSlack meaningless ones after them. Returns their number; stops
// soon after it is more than `limit`.
constexpr std::size_t kNonZeroSlack = 64;
std::size_t findNonZero(const float *x, std::size_t n, std::size_t limit,
                        std::uint32_t *indices, float *values);

// The number of non-zero elements among `count` up to which adding scaled rows
// is faster than a dense product: rows are added at somewhat less than half the
// speed of dense products.
constexpr std::size_t sparseLimit(std::size_t count) { return count * 9 / 20; }

} // namespace ipumodel
