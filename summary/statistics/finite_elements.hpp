// Separates finite elements from the others.
#pragma once

#include "summary/span.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace popscope::summary {

struct NonFinite {
  std::size_t copied = 0; // how many were finite
  std::uint64_t nan = 0;
  std::uint64_t posInf = 0;
  std::uint64_t negInf = 0;
  std::size_t first = 0; // index of the first that was not finite

  std::uint64_t total() const { return nan + posInf + negInf; }
};

// Copies the finite elements to `to`, which has room for all, and counts the
// others.
inline NonFinite copyFinite(Span<const float> values, float *to) {
  NonFinite result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float value = values[i];
    if (std::isfinite(value)) {
      to[result.copied++] = value;
      continue;
    }
    if (result.total() == 0)
      result.first = i;
    if (std::isnan(value))
      ++result.nan;
    else
      ++(value > 0 ? result.posInf : result.negInf);
  }
  return result;
}

} // namespace popscope::summary
