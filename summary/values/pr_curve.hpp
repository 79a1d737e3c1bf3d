// The PR Curves page: precision against recall of a binary classifier.
#pragma once

#include "summary/span.hpp"
#include "summary/values/value.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::summary {

// Counts at evenly spaced thresholds from 0 to 1: entry j belongs to threshold
// j / (size - 1), and a prediction at or above it counts as positive.
struct PrCurve {
  std::vector<double> truePositives;
  std::vector<double> falsePositives;
  std::vector<double> trueNegatives;
  std::vector<double> falseNegatives;
  std::uint64_t ignored = 0; // predictions that were NaN
};

constexpr std::size_t kDefaultThresholds = 201;

// Labels are 0 or not; predictions are probabilities, and are clipped to 0..1.
// Throws std::invalid_argument if the two differ in length or if there are
// fewer than two thresholds.
PrCurve prCurve(Span<const std::uint8_t> labels, Span<const float> predictions,
                std::size_t thresholds = kDefaultThresholds);

// Throws std::invalid_argument if the four counts differ in length.
Value toValue(const PrCurve &curve);

} // namespace popscope::summary
