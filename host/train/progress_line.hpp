// The line that shows how far training has come, made to fit a terminal.
#pragma once

#include "host/counts.hpp"
#include "host/metrics/metrics.hpp"

#include <cstddef>
#include <string>

namespace popscope::host {

struct ProgressState {
  std::string label;            // "epoch 3/15"
  Batches done, total{1};       // of the epoch
  double secondsLeft = 0.0;     // of the training
  double imagesPerSecond = 0.0; // 0: not known yet, nor the time left
  MetricValues metrics;         // the loss first
};

// At most `columns` characters. Parts are left out if there is no room for
// them: first the bar, which has shrunk by then, last the loss and the time
// left.
std::string progressLine(const ProgressState &state, std::size_t columns);

// "  loss 0.5000  accuracy 0.7500", with `prefix` before each name.
std::string metricsText(const MetricValues &metrics, const std::string &prefix);

} // namespace popscope::host
