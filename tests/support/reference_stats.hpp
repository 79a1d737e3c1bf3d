// Statistics computed in the slow and obvious way, in long double, to check the
// fast ones against.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace popscope::tests {

struct ReferenceStats {
  std::uint64_t count = 0, nan = 0, posInf = 0, negInf = 0, zero = 0,
                positive = 0, negative = 0;
  std::vector<double> finite;
  long double mean = 0, m2 = 0, m3 = 0, m4 = 0, sumAbs = 0, sumSquares = 0;
};

inline ReferenceStats referenceStats(const std::vector<float> &values) {
  ReferenceStats stats;
  for (const float value : values) {
    ++stats.count;
    if (std::isnan(value)) {
      ++stats.nan;
    } else if (std::isinf(value)) {
      ++(value > 0 ? stats.posInf : stats.negInf);
    } else {
      stats.zero += value == 0;
      stats.positive += value > 0;
      stats.negative += value < 0;
      stats.finite.push_back(double(value));
    }
  }
  for (const double x : stats.finite) {
    stats.mean += x;
    stats.sumAbs += std::fabs(x);
    stats.sumSquares += static_cast<long double>(x) * x;
  }
  if (!stats.finite.empty())
    stats.mean /= stats.finite.size();
  for (const double x : stats.finite) {
    const long double d = x - stats.mean;
    stats.m2 += d * d;
    stats.m3 += d * d * d;
    stats.m4 += d * d * d * d;
  }
  return stats;
}

} // namespace popscope::tests
