// Two samples of a tensor: are they of equal tensors, and if not, how far apart
// are these? For the same tensor in two runs, at two updates, on two devices.
#pragma once

#include "outfeed/compare/sample_digest.hpp"

#include <optional>

namespace popscope::outfeed {

// What a comparison rests on.
enum class Evidence {
  // The hashes of all bits. Equal ones mean equal bits: two tensors that differ
  // have the same hash once in 2^64.
  bits,
  // The sketches, because the types of the elements or the scales differ.
  sketch,
  // Extremes, mean and deviation: they can show a difference but never that
  // there is none, and the distance is only a lower bound.
  statistics
};

struct SampleDifference {
  Evidence evidence = Evidence::bits;
  bool isSame = true; // as far as the evidence goes
  // |A - B| / |A|; infinite if A is zero, or if the numbers of NaN or infinite
  // elements differ.
  double relativeL2 = 0;
  // Of A and B; absent without sketches.
  std::optional<double> cosine{};

  bool isProvenSame() const { return isSame && evidence == Evidence::bits; }
};

// Standard error of a relative L2 that is estimated from sketches, as a share
// of the estimate: 1 / sqrt(2 * kSketchBuckets). That of 1 - |cosine| is twice
// this. Sums of floats make estimates below about 1e-7 meaningless.
constexpr double kEstimateError = 0.125;

// Both are of tensors of the same shape. Scales are divided out. If the samples
// are made of several parts (micro-batches, replicas), their average is
// compared, so that a weight on one replica equals the same weight on several.
SampleDifference compare(const SampleDigest &a, const SampleDigest &b);

inline SampleDifference compare(const TensorSample &a, const TensorSample &b) {
  return compare(digestOf(a), digestOf(b));
}

} // namespace popscope::outfeed
