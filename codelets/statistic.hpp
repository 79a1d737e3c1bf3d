// The statistics of a tensor, each under one name, and how the device reads
// them from a row.
#pragma once

#include "codelets/row_merge.hpp"
#include "codelets/stats_row.hpp"

namespace popscope {

enum class Statistic : unsigned {
  // Counts, and shares of all elements.
  nan,
  posInf,
  negInf,
  notFinite, // NaN and infinities
  saturated,
  saturatedShare,
  zero,
  zeroShare,
  positive,
  subnormal,
  // Of all elements but NaN: with an infinity among them they are infinite.
  absMax,
  min,
  max,
  l2Norm,
  // Of finite elements.
  mean,
  deviation,
  meanAbs,
  skewness,
  kurtosis,
  // 23 bits of the hash, plus 1: equal tensors have the same, and different
  // ones almost never.
  fingerprint
};

constexpr unsigned kStatistics = unsigned(Statistic::fingerprint) + 1;

// The lowest tier whose rows have it.
constexpr StatsTier tierOf(Statistic statistic) {
  switch (statistic) {
  case Statistic::nan:
  case Statistic::posInf:
  case Statistic::negInf:
  case Statistic::notFinite:
  case Statistic::saturated:
  case Statistic::saturatedShare:
  case Statistic::absMax:
    return StatsTier::alarm;
  case Statistic::skewness:
  case Statistic::kurtosis:
    return StatsTier::shape;
  case Statistic::fingerprint:
    return StatsTier::identity;
  default:
    return StatsTier::stats;
  }
}

// 0 and 1 stand for none and all: a share that rounds to 1 is made smaller.
inline float shareOf(unsigned part, unsigned count) {
  const float share = float(part) / float(count);
  return part < count && share >= 1.0f ? 1.0f - 0x1p-24f : share;
}

inline float l2NormOf(const StatsRow &row, unsigned finite) {
  const float mean = __builtin_fabsf(row.mean);
  const float unit = mean > row.deviation ? mean : row.deviation;
  if (unit == 0.0f)
    return 0.0f;
  const float m = mean / unit, d = row.deviation / unit;
  return unit * __builtin_sqrtf(float(finite)) * __builtin_sqrtf(m * m + d * d);
}

// NaN if the statistic covers none of the `count` elements. The row has its
// tier.
inline float valueOf(Statistic statistic, const StatsRow &row, unsigned count) {
  const unsigned infinite = row.posInf + row.negInf;
  const unsigned finite = count - row.nan - infinite;
  const float unknown = __builtin_nanf(""), infinity = __builtin_inff();
  switch (statistic) {
  case Statistic::nan:
    return float(row.nan);
  case Statistic::posInf:
    return float(row.posInf);
  case Statistic::negInf:
    return float(row.negInf);
  case Statistic::notFinite:
    return float(row.nan + infinite);
  case Statistic::saturated:
    return float(row.saturated);
  case Statistic::saturatedShare:
    return count == 0 ? unknown : shareOf(row.saturated, count);
  case Statistic::zero:
    return float(row.zero);
  case Statistic::zeroShare:
    return count == 0 ? unknown : shareOf(row.zero, count);
  case Statistic::positive:
    return float(row.positive);
  case Statistic::subnormal:
    return float(row.subnormal);
  case Statistic::fingerprint:
    return float(1 + (row.hash[0] & 0x7fffff));
  default:
    break;
  }
  if (statistic >= Statistic::mean ? finite == 0 : finite + infinite == 0)
    return unknown;
  switch (statistic) {
  case Statistic::absMax:
    return infinite != 0 ? infinity : row.absMax;
  case Statistic::min:
    return row.negInf != 0 ? -infinity : row.min;
  case Statistic::max:
    return row.posInf != 0 ? infinity : row.max;
  case Statistic::l2Norm:
    return infinite != 0 ? infinity : l2NormOf(row, finite);
  case Statistic::mean:
    return row.mean + row.meanLow;
  case Statistic::deviation:
    return row.deviation;
  case Statistic::meanAbs:
    return row.meanAbs;
  case Statistic::skewness:
    return row.deviation == 0.0f ? 0.0f : row.skewness;
  default:
    return row.deviation == 0.0f ? 0.0f : row.kurtosis;
  }
}

} // namespace popscope
