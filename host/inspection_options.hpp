// What the command line says about inspection.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

struct InspectionOptions {
  std::vector<std::string> rules;
  bool watch = false;
  std::string json;
  bool keepApart = false;
  bool dropFrames = false;
};

// Fills `options`, which outlives the parsing.
void addInspectionOptions(CLI::App &command, InspectionOptions &options);

} // namespace popscope::host
