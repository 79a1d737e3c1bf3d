// What checks say of a run that is there.
#pragma once

#include "outfeed/checks/check.hpp"
#include "outfeed/checks/finding.hpp"
#include "text/json_value.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

struct ChecksReport {
  std::vector<std::string> made; // checks that had something to check
  std::vector<outfeed::Finding> findings;
  std::vector<std::string> notChecked; // NAME: why
  std::vector<outfeed::Check::Measure> measures;
  std::vector<std::string> damages; // of the log
};

// Makes the checks of a file on the log of a run. Throws BadInput.
ChecksReport checkRun(const std::string &run, const text::JsonValue &manifest,
                      const std::string &file);

// In lines.
void print(const ChecksReport &report, std::ostream &out);
// On one line, without damages.
std::string toJson(const ChecksReport &report);

// The lines of what was found while it ran, of popscope.json; empty if that was
// nothing.
std::vector<std::string> recordedFindings(const text::JsonValue &manifest);

} // namespace popscope::host
