// Statistics of a tensor that parts of a run wrote apart, made into those of
// the whole.
#pragma once

#include "outfeed/rules/statistic_name.hpp"
#include "summary/values/histogram.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::host::events {

// A tag that outfeed/sinks/event_sink gives to a statistic or a histogram.
struct TapTag {
  std::string tensor;                 // GROUP/NAME
  std::optional<Statistic> statistic; // none: the histogram
};

// Nothing for other tags.
std::optional<TapTag> parseTapTag(std::string_view tag);

// What is known of a tensor at one step.
struct TensorRecord {
  std::map<Statistic, double> values;
  std::optional<summary::Histogram> histogram;
};

// The record of all parts together, at least one. Counts add up, extremes and
// norms combine, means and deviations are weighted by the finite elements of
// each part, which its histogram counts. Without a histogram every part has as
// many elements, because it is the same tensor; if some of them are not finite,
// mean and deviation are unknown and the result has neither.
TensorRecord foldParts(const std::vector<TensorRecord> &parts);

// Has every edge that no part has elements on both sides of within one bucket,
// so that all counts are exact.
summary::Histogram foldHistograms(const std::vector<summary::Histogram> &parts);

} // namespace popscope::host::events
