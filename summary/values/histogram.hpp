// Histograms: how the elements of a tensor are distributed.
#pragma once

#include "summary/span.hpp"
#include "summary/values/value.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace popscope::summary {

// Buckets hold finite elements; the others are counted beside them, so they
// neither break the edges nor go unnoticed.
struct Histogram {
  // Elements x with left <= x < right; in the last bucket also x == right.
  struct Bucket {
    double left, right, count;
  };
  std::vector<Bucket> buckets; // ascending, each beginning where one ended
  std::uint64_t nan = 0;
  std::uint64_t posInf = 0;
  std::uint64_t negInf = 0;
};

constexpr std::size_t kDefaultBuckets = 30;

// Buckets of equal width between the smallest and the largest finite element,
// exactly as tf.summary.histogram makes them: all zero if there is no element,
// all in the last one if all are equal.
Histogram uniformHistogram(Span<const float> values,
                           std::size_t buckets = kDefaultBuckets);

// Buckets between the given edges, plus one on either side for what lies
// outside, if anything does. Throws std::invalid_argument unless there are two
// or more finite edges in ascending order.
Histogram histogramWithEdges(Span<const float> values,
                             Span<const double> edges);

// Counts in TensorFlow 1's exponential buckets, whose width grows by a tenth
// from one to the next, from 1e-12 to 1e20 on either side of zero. Their edges
// do not depend on the data, so parts of a tensor can be merged.
class ExponentialCounts {
public:
  ExponentialCounts();

  void add(Span<const float> values);
  void merge(const ExponentialCounts &other);

  // Without the empty buckets at both ends, the outer edges drawn in to the
  // smallest and largest element, runs of empty buckets joined into one.
  Histogram histogram() const;

private:
  std::vector<std::uint64_t> counts_;
  float min_ = std::numeric_limits<float>::infinity();
  float max_ = -std::numeric_limits<float>::infinity();
  std::uint64_t nan_ = 0;
  std::uint64_t posInf_ = 0;
  std::uint64_t negInf_ = 0;
};

Histogram exponentialHistogram(Span<const float> values);

// The buckets alone. EventBatch::add also sends the counts of elements that
// are not finite.
Value toValue(const Histogram &histogram);

} // namespace popscope::summary
