// The row of words that summarises a tensor, or a part of it: what a tile
// writes and the host reads. Shared by device and host, so plain C++ without
// containers.
#pragma once

#include "codelets/magnitude_buckets.hpp"

namespace popscope {

// Raised whenever a field of StatsRow changes its place, type or meaning.
constexpr unsigned kStatsLayoutVersion = 2;

// Each tier has the fields of those before it.
enum class StatsTier : unsigned {
  alarm,   // is anything wrong, and where first
  stats,   // counts, extremes, mean, deviation
  shape,   // higher moments, a histogram
  identity // a hash and a sketch, to compare tensors of two runs
};

constexpr unsigned kNoIndex = 0xffffffffu;
constexpr unsigned kSketchBuckets = 32;

// Counts are exact up to 2^32. What is not a count covers finite elements only.
// Integers are summarised as the floats nearest to them. Indices are those of
// the flattened tensor; the lowest wins among equals.
struct StatsRow {
  // alarm
  unsigned nan;
  unsigned posInf;
  unsigned negInf;
  unsigned saturated; // magnitude is the largest of the format
  float absMax;       // 0 if there is no finite element
  unsigned firstBad;  // first NaN or infinity, or kNoIndex

  // stats
  unsigned count; // all elements
  unsigned zero;  // of either sign
  unsigned positive;
  unsigned subnormal;
  unsigned topBinade; // exponent is the largest of the format
  float min;          // +infinity if there is no finite element
  float max;          // -infinity if there is no finite element
  unsigned argMin;
  unsigned argMax;
  float absMinNonZero; // +infinity if there is none
  // The mean is the sum of the two: parts with a large common offset would
  // otherwise merge with errors of the size of their spread.
  float mean;
  float meanLow;
  // Square root of the mean squared distance from the mean. Powers would
  // overflow or vanish where the elements themselves do not.
  float deviation;
  float meanAbs;

  // shape
  float skewness; // third and fourth moment, in units of the deviation
  float kurtosis;
  // The float32 exponent bits of the largest magnitude, or 0; and counts of
  // elements below it, positive and negative ones. Zeros, subnormal floats and
  // elements below all buckets are in none.
  unsigned topExponent;
  unsigned buckets[2][kBuckets];

  // identity
  unsigned hash[2]; // sums of mixed indices and bits: any order, same hash
  float sketch[kSketchBuckets];
};

constexpr unsigned kMaxRowWords = sizeof(StatsRow) / sizeof(unsigned);

// A row of a tier is the beginning of StatsRow.
constexpr unsigned rowWords(StatsTier tier) {
  return tier == StatsTier::alarm   ? 6
         : tier == StatsTier::stats ? 20
         : tier == StatsTier::shape ? 23 + 2 * kBuckets
                                    : kMaxRowWords;
}

static_assert(sizeof(unsigned) == 4 && sizeof(float) == 4, "rows are words");
static_assert(kMaxRowWords == 25 + 2 * kBuckets + kSketchBuckets,
              "rows have no gaps");

// A frame of records begins with these words.
struct FrameHeader {
  unsigned layoutVersion;
  unsigned source;    // TapSource::number: which records follow
  unsigned execution; // of the unit, from 0
};

constexpr unsigned kFrameHeaderWords = sizeof(FrameHeader) / sizeof(unsigned);

inline unsigned mix(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ (x >> 16);
}

} // namespace popscope
