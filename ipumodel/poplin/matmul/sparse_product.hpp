// Products with sparse factors, as sums of scaled rows: used for gradients of a
// convolution when the gradient of its output is mostly zero, as after a ReLU
// and max pooling.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ipumodel {

// A sum at `at`, to which elements [begin, end) of some factors belong.
struct SparseSum {
  std::uint32_t begin, end, at;
};

// The factors that are not zero: element i scales base[offsets[i] ...].
struct SparseFactors {
  const std::uint32_t *offsets;
  const float *values;
  const SparseSum *sums;
  std::size_t numSums;
  bool isFirst = false; // are sums what they add, and not added to?
};

// Lines of elements, of what is scaled and of a sum, and the elements from one
// to the next.
struct Lines {
  std::size_t count;
  std::size_t length;
  std::size_t baseStep, sumStep;
};

// Adds values[i] * base[offsets[i] ...] to sum[at ...], line by line, for the
// elements of every sum. Where sums overlap, each element is summed in their
// order.
void addSparseProducts(const SparseFactors &factors, const Lines &lines,
                       const float *base, float *sum);

// The non-zero elements of a matrix, row by row: where those of each row end,
// and of each element `step` times its column, and its value. After the
// elements there is room for kNonZeroSlack more, which are overwritten.
struct NonZeroRows {
  std::uint32_t *ends;
  std::uint32_t *offsets;
  float *values;
};
constexpr std::size_t kNonZeroSlack = 8;

// Returns the number of non-zero elements of x; once they are more than
// `limit`, stops soon and leaves `to` incomplete.
std::size_t findNonZero(const float *x, std::size_t rows, std::size_t columns,
                        std::size_t limit, std::uint32_t step,
                        const NonZeroRows &to);

// The number of non-zero elements among `count` up to which adding scaled rows
// is faster than a dense product: rows are added at somewhat less than half the
// speed of dense products.
constexpr std::size_t sparseLimit(std::size_t count) { return count * 9 / 20; }

} // namespace ipumodel
