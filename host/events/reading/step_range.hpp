// A range of steps, both ends included.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>

namespace popscope::host::events {

struct StepRange {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t to = std::numeric_limits<std::int64_t>::max();

  bool has(std::int64_t step) const { return from <= step && step <= to; }
  // Throws BadInput if the range is empty.
  void expectNotEmpty() const;
};

// Adds --from-step and --to-step.
void addStepRange(CLI::App &command, StepRange &range);

} // namespace popscope::host::events
