// A run report whose lines are kept.
#pragma once

#include "host/run/run_report.hpp"

#include <string>
#include <vector>

namespace popscope::tests {

struct ReportedLines {
  explicit ReportedLines(
      host::OnSummaryError policy = host::OnSummaryError::goOn)
      : report(policy,
               [this](const std::string &line) { lines.push_back(line); }) {}

  std::vector<std::string> lines;
  host::RunReport report;
};

} // namespace popscope::tests
