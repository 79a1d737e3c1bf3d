// Counts elements by exponent.
#pragma once

#include "codelets/column_counts.hpp"
#include "codelets/element_format.hpp"
#include "codelets/stats_row.hpp"

namespace popscope {

// At most ColumnCounts::kMostWords elements. Zeros are added to fill a chunk.
template <typename T, typename WordOf>
void countWords(unsigned (&counts)[32], const T *x, unsigned n, WordOf wordOf) {
  constexpr unsigned kChunk = ColumnCounts::kChunk;
  ColumnCounts columns;
  unsigned i = 0;
  for (; i + kChunk <= n; i += kChunk)
    columns.add(x + i, wordOf);
  if (i != n) {
    T padded[kChunk];
    __builtin_memset(padded, 0, sizeof padded);
    __builtin_memcpy(padded, x + i, (n - i) * sizeof(T));
    columns.add(padded, wordOf);
  }
  columns.finish(counts);
}

// Adds the elements of x, all finite, to row.octaves. row.topExponent must be
// at least kColumns and at least their largest exponent, `lowest` at most their
// smallest, zeros not counted. `zero` is the number of zeros; hasNegative may
// be false only if none is negative.
template <typename T>
void countOctaves(StatsRow &row, const T *x, unsigned n, unsigned lowest,
                  unsigned zero, bool hasNegative) {
  constexpr unsigned kColumns = 32;
  static_assert(kOctaves < kColumns, "the last column is for what is below");
  const unsigned top = row.topExponent;
  const unsigned last = (top - (kColumns - 1)) << 23;
  // The column of an exponent is its remainder, zero's is the first, or that of
  // all that is below.
  const auto column = [](const T &element) {
    const unsigned bits = bitsOf(ElementFormat<T>::toFloat(element));
    return 1u << (bits >> 23 & (kColumns - 1));
  };
  const auto columnOrLast = [last](const T &element) {
    const unsigned m = magnitudeOf(ElementFormat<T>::toFloat(element));
    return 1u << ((m > last ? m : last) >> 23 & (kColumns - 1));
  };
  const auto ifNegative = [](const T &element, unsigned word) {
    const unsigned bits = bitsOf(ElementFormat<T>::toFloat(element));
    return word & (0u - ((bits & (bits - 1)) >> 31)); // and not -0
  };
  unsigned all[kColumns] = {}, negative[kColumns] = {};
  if (lowest > last >> 23) {
    countWords(all, x, n, column);
    all[0] -= zero + (0u - n) % ColumnCounts::kChunk;
    if (hasNegative)
      countWords(negative, x, n, [&](const T &element) {
        return ifNegative(element, column(element));
      });
  } else {
    countWords(all, x, n, columnOrLast);
    if (hasNegative)
      countWords(negative, x, n, [&](const T &element) {
        return ifNegative(element, columnOrLast(element));
      });
  }
  for (unsigned k = 0; k < kOctaves; ++k) {
    const unsigned c = (top - k) % kColumns;
    row.octaves[0][k] += all[c] - negative[c];
    row.octaves[1][k] += negative[c];
  }
}

} // namespace popscope
