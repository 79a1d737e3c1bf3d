// What is tapped in a training besides what its preset taps, and where the
// samples go.
#pragma once

#include <string>
#include <vector>

namespace popscope::host {

struct InspectionOptions {
  std::vector<std::string> rules;
  bool watch = false;
  std::string json; // a file, or "-" for standard output; empty: none
  bool keepApart = false;
  bool dropFrames = false;

  // Then everything else that is printed goes to standard error, in plain
  // lines: both may be the same terminal.
  bool jsonToStdout() const { return json == "-"; }
};

} // namespace popscope::host
