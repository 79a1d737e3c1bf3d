// What watching a training has cost: for the terminal, popscope.json and
// TensorBoard.
#pragma once

#include "host/record/measured_share.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

struct WatchCost {
  // A rule, or all that health, the recorder or the checks watch.
  struct Row {
    std::string title;
    std::string rule; // its text; empty if it is not one
    std::size_t tensors = 0;
    std::optional<std::uint64_t> bytes; // that came to the host
    // Estimated, of all its taps: each where it has most, each time it is due.
    std::size_t tileBytes = 0;
    std::optional<std::size_t> cycles;
    // Measured, of the training's time; nothing if it was not.
    std::optional<MeasuredShare> time;
  };
  std::vector<Row> rows;
  std::uint64_t bytes = 0;    // of all frames, with their headers
  double secondsWaited = 0.0; // by the device, for the host
  // How the time was measured, or why it was not.
  std::string timing;
  std::string budget; // what was done to keep it; empty if there is none
};

// In lines of at most `columns`.
void print(const WatchCost &cost, std::ostream &out, std::size_t columns);
// On one line.
std::string toJson(const WatchCost &cost);
// Markdown.
std::string describe(const WatchCost &cost);

} // namespace popscope::host
