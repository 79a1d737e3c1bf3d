// Buckets of a histogram by magnitude, counted from that of the largest down.
// An octave holds the floats of one exponent. The first octaves are divided
// into four buckets of equal width, the others are a bucket each. The buckets
// of a part of a tensor, whose largest magnitude is smaller, are at least as
// fine, so that parts merge exactly and in any order.
#pragma once

namespace popscope {

constexpr unsigned kOctaves = 16;
constexpr unsigned kDivided = 5; // octaves
constexpr unsigned kBuckets = kOctaves + 3 * kDivided;

// The base 2 logarithm of the number of buckets in an octave.
constexpr unsigned partBits(unsigned octave) {
  return octave < kDivided ? 2 : 0;
}

// Of an octave, counted from the top.
constexpr unsigned firstBucket(unsigned octave) {
  return octave < kDivided ? 4 * octave : 3 * kDivided + octave;
}

// Of a magnitude, given as the bits of a float, if `top` is the exponent of the
// largest; kBuckets or more if it is below all buckets.
constexpr unsigned bucketOf(unsigned magnitude, unsigned top) {
  const unsigned below = ((top + 1) << 23) - 1 - magnitude;
  const unsigned part = below >> 21, octave = 3 * kDivided + (below >> 23);
  return part < octave ? part : octave;
}

// The smallest magnitude in a bucket, as the bits of a float; that of bucket
// b - 1 is the first above bucket b. Valid if the exponent of the bucket is not
// less than 1.
constexpr unsigned bucketBegin(unsigned bucket, unsigned top) {
  const unsigned end = (top + 1) << 23;
  return bucket < 4 * kDivided ? end - ((bucket + 1) << 21)
                               : end - ((bucket + 1 - 3 * kDivided) << 23);
}

// Adds counts below one top to those below a top `up` octaves higher, or the
// same. What is then below all buckets is dropped.
template <typename Count>
void addRaised(Count (&counts)[kBuckets], const Count (&others)[kBuckets],
               unsigned up) {
  constexpr unsigned kParts = 4 * kDivided;
  const unsigned stayDivided = up < kDivided ? kParts - 4 * up : 0;
  unsigned b = 0;
  for (; b < stayDivided; ++b)
    counts[b + 4 * up] += others[b];
  for (; b < kParts; ++b)
    if (b / 4 + up < kOctaves)
      counts[firstBucket(kDivided) - kDivided + b / 4 + up] += others[b];
  for (; b + up < kBuckets; ++b)
    counts[b + up] += others[b];
}

// Counts of both signs below `top`, which is 0 if there are none.
template <typename Count>
void mergeBuckets(unsigned &top, Count (&counts)[2][kBuckets],
                  unsigned otherTop, const Count (&others)[2][kBuckets]) {
  if (otherTop == 0)
    return;
  if (otherTop > top) {
    for (unsigned s = 0; top != 0 && s < 2; ++s) {
      Count lower[kBuckets];
      for (unsigned b = 0; b < kBuckets; ++b) {
        lower[b] = counts[s][b];
        counts[s][b] = 0;
      }
      addRaised(counts[s], lower, otherTop - top);
    }
    top = otherTop;
  }
  for (unsigned s = 0; s < 2; ++s)
    addRaised(counts[s], others[s], top - otherTop);
}

} // namespace popscope
