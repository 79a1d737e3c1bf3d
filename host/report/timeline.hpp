// How a run went, over its updates: curves of loss and accuracy, and alerts.
#pragma once

#include "text/json_value.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

struct Curve {
  std::string metric; // loss or accuracy
  // The folder of its event files: train, validation and so on. Empty for the
  // loss of each update, which a tap recorded.
  std::string set;
  struct Point {
    double update; // after which it was measured
    double value;
  };
  std::vector<Point> points; // ascending
};

struct Alert {
  std::uint32_t update = 0;
  std::string kind;   // not finite, check, condition, intervention, control
  std::string tensor; // empty if it is about none
  std::string text;
};

// From the event files of the run's folders. Epochs have `updatesPerEpoch`
// updates. A curve of very many points keeps the extremes of neighbours.
std::vector<Curve> readCurves(const std::filesystem::path &run,
                              double updatesPerEpoch);

// Those that its event files and its popscope.json have, by update. Throws
// BadInput if popscope.json is damaged.
std::vector<Alert> readAlerts(const std::filesystem::path &run,
                              const text::JsonValue &manifest);

} // namespace popscope::host
