// The statistics that sinks show. Each has one name: heading of a column, key
// of an object and tag of a series.
#pragma once

#include "outfeed/tensor_sample.hpp"

#include <optional>

namespace popscope::outfeed {

enum class Statistic : unsigned {
  // Counts, and shares of all elements.
  nan,
  posInf,
  negInf,
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
  kurtosis
};

const char *nameOf(Statistic statistic);

// Not known if the payload does not carry the statistic, or if no element is of
// the kind it covers. Never NaN.
std::optional<double> valueOf(Statistic statistic, const TensorSample &sample);

} // namespace popscope::outfeed
