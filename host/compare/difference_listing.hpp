// How two runs differ, for a terminal, a pipe and a script.
#pragma once

#include "host/compare/compared_runs.hpp"
#include "text/table.hpp"

#include <cstddef>
#include <ostream>
#include <string>

namespace popscope::host {

// The verdict, a table of the tensors in the order in which they part, and the
// notes. The table has the first of those that differ, or all tensors.
struct ListingOptions {
  text::Layout layout = text::Layout::aligned;
  std::size_t terminalColumns = std::string::npos;
  std::size_t rows = std::string::npos;
  bool listsAll = false;
};
void printListing(std::ostream &out, const ComparedRuns &runs,
                  const ListingOptions &options);

// One object, with all tensors.
void printJson(std::ostream &out, const ComparedRuns &runs);

} // namespace popscope::host
