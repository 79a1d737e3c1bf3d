// The statistics that sinks show. Each has one name: heading of a column, key
// of an object and tag of a series.
#pragma once

#include "outfeed/tensor_sample.hpp"

#include <cstddef>
#include <iterator>
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
  kurtosis,
  // 23 bits of the hash, plus 1: equal tensors have the same, and different
  // ones almost never. Payload identity has it.
  fingerprint
};

// What an event file has of a sample, as floats: all of these that the sample
// has. From kAlwaysLogged on, only those that are not 0.
constexpr Statistic kLoggedStatistics[] = {
    Statistic::mean,   Statistic::deviation,      Statistic::min,
    Statistic::max,    Statistic::l2Norm,         Statistic::zeroShare,
    Statistic::absMax, Statistic::saturatedShare, Statistic::nan,
    Statistic::posInf, Statistic::negInf,         Statistic::fingerprint};
constexpr std::size_t kNumLogged = std::size(kLoggedStatistics);
constexpr std::size_t kAlwaysLogged = 7;

const char *nameOf(Statistic statistic);

// Not known if the payload does not carry the statistic, or if no element is of
// the kind it covers. Never NaN.
std::optional<double> valueOf(Statistic statistic, const TensorSample &sample);

} // namespace popscope::outfeed
