// Merges two rows. Their order changes only the last bits of means and
// deviations.
#pragma once

#include "codelets/stats_row.hpp"

namespace popscope {

// Words that rows of the tier do not have are not set: most are of buckets and
// sketches.
inline StatsRow emptyRow(StatsTier tier = StatsTier::identity) {
  StatsRow row;
  __builtin_memset(&row, 0, rowWords(tier) * sizeof(unsigned));
  row.firstBad = kNoIndex;
  if (tier >= StatsTier::stats) {
    row.argMin = row.argMax = kNoIndex;
    row.min = row.absMinNonZero = __builtin_inff();
    row.max = -__builtin_inff();
  }
  return row;
}

// Adds `x` to the pair high + low without losing what does not fit in high.
inline void addToPair(float &high, float &low, float x) {
  const float sum = high + x;
  const float kept = sum - high;
  low += (high - (sum - kept)) + (x - kept);
  high = sum;
  const float carried = high + low;
  low -= carried - high;
  high = carried;
}

inline unsigned finiteCount(const StatsRow &row) {
  return row.count - row.nan - row.posInf - row.negInf;
}

inline void mergeMoments(StatsRow &a, const StatsRow &b, bool higher) {
  const unsigned na = finiteCount(a), nb = finiteCount(b);
  if (nb == 0)
    return;
  if (na == 0) {
    a.mean = b.mean;
    a.meanLow = b.meanLow;
    a.deviation = b.deviation;
    a.meanAbs = b.meanAbs;
    a.skewness = b.skewness;
    a.kurtosis = b.kurtosis;
    return;
  }
  const float wa = float(na) / (float(na) + float(nb)), wb = 1.0f - wa;
  const float delta = (b.mean - a.mean) + (b.meanLow - a.meanLow);
  a.meanAbs = wa * a.meanAbs + wb * b.meanAbs;
  addToPair(a.mean, a.meanLow, delta * wb);

  // In units of the largest of the three if powers could leave the range.
  const float widest = higher ? 0x1p24f : 0x1p55f;
  float unit = __builtin_fabsf(delta);
  unit = a.deviation > unit ? a.deviation : unit;
  unit = b.deviation > unit ? b.deviation : unit;
  if (unit == 0.0f)
    return;
  float u = a.deviation, v = b.deviation, d = delta;
  if (unit * widest >= 1.0f && unit <= widest) {
    unit = 1.0f;
  } else {
    u /= unit;
    v /= unit;
    d /= unit;
  }
  const float ww = wa * wb;
  const float m2 = wa * u * u + wb * v * v + ww * d * d;
  if (higher) {
    const float u3 = u * u * u * a.skewness, v3 = v * v * v * b.skewness;
    const float u4 = u * u * u * u * a.kurtosis,
                v4 = v * v * v * v * b.kurtosis;
    const float m3 = wa * u3 + wb * v3 + ww * (wa - wb) * d * d * d +
                     3.0f * ww * d * (v * v - u * u);
    const float m4 = wa * u4 + wb * v4 +
                     ww * (wa * wa - ww + wb * wb) * d * d * d * d +
                     6.0f * ww * d * d * (wa * v * v + wb * u * u) +
                     4.0f * ww * d * (v3 - u3);
    a.skewness = m3 / (m2 * __builtin_sqrtf(m2));
    a.kurtosis = m4 / (m2 * m2);
  }
  a.deviation = unit * __builtin_sqrtf(m2);
}

inline void mergeExtremes(StatsRow &a, const StatsRow &b) {
  if (b.min < a.min || (b.min == a.min && b.argMin < a.argMin)) {
    a.min = b.min;
    a.argMin = b.argMin;
  }
  if (b.max > a.max || (b.max == a.max && b.argMax < a.argMax)) {
    a.max = b.max;
    a.argMax = b.argMax;
  }
  if (b.absMinNonZero < a.absMinNonZero)
    a.absMinNonZero = b.absMinNonZero;
}

// All that rows of the lowest tier have.
inline void mergeAlarms(StatsRow &a, const StatsRow &b) {
  a.nan += b.nan;
  a.posInf += b.posInf;
  a.negInf += b.negInf;
  a.saturated += b.saturated;
  if (b.absMax > a.absMax)
    a.absMax = b.absMax;
  if (b.firstBad < a.firstBad)
    a.firstBad = b.firstBad;
}

__attribute__((noinline)) inline void mergeRow(StatsRow &a, const StatsRow &b,
                                               StatsTier tier) {
  if (tier >= StatsTier::stats) {
    mergeMoments(a, b, tier >= StatsTier::shape);
    mergeExtremes(a, b);
    a.count += b.count;
    a.zero += b.zero;
    a.positive += b.positive;
    a.subnormal += b.subnormal;
    a.topBinade += b.topBinade;
  }
  mergeAlarms(a, b);
  if (tier >= StatsTier::shape)
    mergeBuckets(a.topExponent, a.buckets, b.topExponent, b.buckets);
  if (tier >= StatsTier::identity) {
    for (unsigned i = 0; i < 2; ++i)
      a.hash[i] += b.hash[i];
    for (unsigned i = 0; i < kSketchBuckets; ++i)
      a.sketch[i] += b.sketch[i];
  }
}

// Rows travel as words: a tensor has one element type.
inline void storeRow(unsigned *words, const StatsRow &row, StatsTier tier) {
  __builtin_memcpy(words, &row, rowWords(tier) * sizeof(unsigned));
}

inline void copyRow(StatsRow &to, const StatsRow &from, StatsTier tier) {
  __builtin_memcpy(&to, &from, rowWords(tier) * sizeof(unsigned));
}

// Words that rows of the tier do not have are not set.
inline StatsRow loadRow(const unsigned *words, StatsTier tier) {
  StatsRow row;
  __builtin_memcpy(&row, words, rowWords(tier) * sizeof(unsigned));
  return row;
}

} // namespace popscope
