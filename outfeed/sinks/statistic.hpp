// The statistics that sinks show. The name of each is heading of a column, key
// of an object and tag of a series.
#pragma once

#include "outfeed/rules/statistic_name.hpp"
#include "outfeed/tensor_sample.hpp"

#include <cstddef>
#include <iterator>
#include <optional>

namespace popscope::outfeed {

// What an event file has of a sample, as floats: all of these that the sample
// has. From kAlwaysLogged on, only those that are not 0.
constexpr Statistic kLoggedStatistics[] = {
    Statistic::mean,   Statistic::deviation,      Statistic::min,
    Statistic::max,    Statistic::l2Norm,         Statistic::zeroShare,
    Statistic::absMax, Statistic::saturatedShare, Statistic::nan,
    Statistic::posInf, Statistic::negInf,         Statistic::fingerprint};
constexpr std::size_t kNumLogged = std::size(kLoggedStatistics);
constexpr std::size_t kAlwaysLogged = 7;

// Not known if the payload does not carry the statistic, or if no element is of
// the kind it covers. Never NaN.
std::optional<double> valueOf(Statistic statistic, const TensorSample &sample);

} // namespace popscope::outfeed
