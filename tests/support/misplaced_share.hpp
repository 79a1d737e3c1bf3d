// How far a histogram is from the true one on TensorBoard's page.
#pragma once

#include "summary/values/histogram.hpp"

#include <algorithm>
#include <cmath>

namespace popscope::tests {

// The share of elements that are in another bucket than in `truth` if the
// elements of each bucket of `histogram` are spread evenly over it.
inline double misplacedShare(const summary::Histogram &histogram,
                             const summary::Histogram &truth) {
  double misplaced = 0, total = 0;
  for (const auto &wanted : truth.buckets) {
    double found = 0;
    for (const auto &bucket : histogram.buckets) {
      const double width = bucket.right - bucket.left;
      const bool isLast = wanted.right == truth.buckets.back().right;
      if (width > 0)
        found += bucket.count *
                 std::max(std::min(bucket.right, wanted.right) -
                              std::max(bucket.left, wanted.left),
                          0.0) /
                 width;
      else if (bucket.left >= wanted.left &&
               (bucket.left < wanted.right || isLast))
        found += bucket.count;
    }
    misplaced += std::fabs(found - wanted.count) / 2;
    total += wanted.count;
  }
  return misplaced / total;
}

} // namespace popscope::tests
