// The matrix product that convolutions and matrix products are built on.
#pragma once

#include <cstddef>

namespace ipumodel {

// One term of a sum of products. Rows of B are contiguous.
struct GemmTerm {
  std::size_t a; // offset of row 0 of A from the base of A
  std::size_t b;
  std::size_t k;
};

// Row r of A starts (r / lineLength) * lineStep + (r % lineLength) * rowStep
// elements after row 0, so that rows may be the overlapping windows of a
// convolution, or the columns of a transposed operand. Rows of C have lines of
// the same length.
struct GemmShape {
  std::size_t m, n;
  std::size_t lineLength;
  std::size_t lineStep, rowStep;
  std::size_t aColumn; // from one column of A to the next
  std::size_t bRow;    // from one row of B to the next, at least n
  std::size_t cRow;    // from one row of C to the next, at least n
  std::size_t cLine;   // from the first row of a line of C to the next line's

  // A plain matrix A whose rows are `aRow` elements apart.
  static GemmShape matrix(std::size_t m, std::size_t n, std::size_t aRow,
                          std::size_t aColumn, std::size_t bRow,
                          std::size_t cRow) {
    return {m, n, m, 0, aRow, aColumn, bRow, cRow, 0};
  }
};

// Applied to a sum before it is stored:
//   c = relu(alpha * sum + (accumulate ? c : 0) + bias[column])
struct GemmEpilogue {
  float alpha = 1;
  bool accumulate = false;
  const float *bias = nullptr;
  bool relu = false;

  bool isPlain() const { return alpha == 1 && !accumulate && !bias && !relu; }
  // The same for the columns starting at `column`.
  GemmEpilogue from(std::size_t column) const {
    return {alpha, accumulate, bias ? bias + column : nullptr, relu};
  }
};

// C = epilogue(sum over terms of A * B), rows [rowBegin, rowEnd), on the
// calling thread. Each element is summed in the order of the terms and of k, so
// results do not depend on how a product is divided into tasks.
void gemm(const GemmShape &shape, std::size_t rowBegin, std::size_t rowEnd,
          const float *a, const float *b, const GemmTerm *terms,
          std::size_t numTerms, float *c, const GemmEpilogue &epilogue = {});

} // namespace ipumodel
