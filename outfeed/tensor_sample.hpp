// What is known of one tensor at one update, on the host.
#pragma once

#include "codelets/stats_row.hpp"
#include "outfeed/rules/tap_rule.hpp"
#include "summary/statistics/tensor_stats.hpp"
#include "summary/values/histogram.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace popscope::outfeed {

struct TensorSample {
  Payload payload = Payload::stats; // which of the fields are known
  std::uint64_t parts = 1; // samples merged: micro-batches, replicas, updates
  summary::TensorStats stats;
  // As in StatsRow.
  unsigned topExponent = 0;
  std::uint64_t buckets[2][kBuckets] = {};
  std::array<std::uint32_t, 2> hash{};
  std::array<float, kSketchBuckets> sketch{};

  void merge(const TensorSample &other);
  bool hasShape() const { return payload >= Payload::shape; }
};

// Reads a row of the payload's tier; `count` is the number of elements.
TensorSample sampleOfRow(const unsigned *words, Payload payload,
                         std::uint64_t count, summary::FloatFormat format);
TensorSample sampleOfFloats(summary::Span<const float> values);
TensorSample sampleOfHalves(summary::Span<const std::uint16_t> values);

// The buckets of codelets/magnitude_buckets.hpp by sign, one of either sign for
// what is below them, and one for zeros; without those outside the smallest and
// largest element, and with neighbours that are empty joined. The smallest
// magnitude of a bucket belongs to it, so below zero it is in the bucket that
// ends there. Needs hasShape().
summary::Histogram histogramOf(const TensorSample &sample);

} // namespace popscope::outfeed
