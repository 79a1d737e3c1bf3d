// Counts elements by bucket.
#pragma once

#include "codelets/column_counts.hpp"
#include "codelets/element_format.hpp"
#include "codelets/stats_row.hpp"

namespace popscope {

// At most ColumnCounts::kMostWords elements. Zeros are added to fill a chunk.
// Inlined, it would make the stack of its caller deeper.
template <typename T, typename WordOf>
__attribute__((noinline)) void countWords(unsigned (&counts)[32], const T *x,
                                          unsigned n, WordOf wordOf) {
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

// Adds the elements of x, all finite, to row.buckets. row.topExponent must be
// at least kOctaves and at least their largest exponent; hasNegative may be
// false only if none has the sign bit set.
template <typename T>
void countBuckets(StatsRow &row, const T *x, unsigned n, bool hasNegative) {
  static_assert(kBuckets == 31, "the last column is for what is below");
  const unsigned top = row.topExponent;
  const auto column = [top](unsigned magnitude) {
    const unsigned bucket = bucketOf(magnitude, top);
    return 1u << (bucket < kBuckets ? bucket : kBuckets);
  };
  unsigned all[kBuckets + 1], negative[kBuckets + 1] = {};
  if (hasNegative) {
    // Lambdas hold copies: what they refer to would be loaded anew for each
    // element.
    countWords(all, x, n, [column](const T &element) {
      return column(magnitudeOf(ElementFormat<T>::toFloat(element)));
    });
    countWords(negative, x, n, [column](const T &element) {
      const unsigned bits = bitsOf(ElementFormat<T>::toFloat(element));
      return column(bits & 0x7fffffffu) & (0u - (bits >> 31));
    });
  } else {
    countWords(all, x, n, [column](const T &element) {
      return column(bitsOf(ElementFormat<T>::toFloat(element)));
    });
  }
  for (unsigned b = 0; b < kBuckets; ++b) {
    row.buckets[0][b] += all[b] - negative[b];
    row.buckets[1][b] += negative[b];
  }
}

} // namespace popscope
