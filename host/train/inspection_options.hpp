// What the command line says about inspection.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

struct InspectionOptions {
  std::vector<std::string> rules;
  bool watch = false;
  std::string json; // a file; "-" is standard output
  bool keepApart = false;
  bool dropFrames = false;

  // Then everything else that is printed goes to standard error, in plain
  // lines: both may be the same terminal.
  bool jsonToStdout() const { return json == "-"; }
};

// Fills `options`, which outlives the parsing.
void addInspectionOptions(CLI::App &command, InspectionOptions &options);

} // namespace popscope::host
