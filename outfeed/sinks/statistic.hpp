// The statistics that sinks show. The name of each is heading of a column, key
// of an object and tag of a series.
#pragma once

#include "outfeed/rules/statistic_name.hpp"
#include "outfeed/tensor_sample.hpp"

#include <optional>

namespace popscope::outfeed {

// Not known if the payload does not carry the statistic, or if no element is of
// the kind it covers. Never NaN.
std::optional<double> valueOf(Statistic statistic, const TensorSample &sample);

} // namespace popscope::outfeed
