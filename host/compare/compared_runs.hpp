// Two runs, and how they differ: read from their directories.
#pragma once

#include "outfeed/compare/run_difference.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

struct ComparedRuns {
  std::string a, b; // as the user named them
  double tolerance = 0;
  outfeed::RunDifference difference;

  bool isSame() const { return !difference.first; }
};

// Each is the directory of a run, or its sample log. Throws BadInput if one of
// them is neither, if it tapped nothing, or if they have nothing in common.
ComparedRuns compareRunsAt(const std::filesystem::path &a,
                           const std::filesystem::path &b, double tolerance);

// "bit-identical: 14 tensors at 32 updates", or what differs first and by how
// much. One sentence, without an end of line.
std::string verdictOf(const ComparedRuns &runs);

// What could not be compared and why, and what the verdict does not prove: a
// line each.
std::vector<std::string> notesOn(const ComparedRuns &runs);

// "0.00011", or ">=0.00011" of a lower bound.
std::string relativeText(const outfeed::SampleDifference &difference);
// "0.83", or "1 - 5e-9", or "-" if it is not known.
std::string cosineText(const outfeed::SampleDifference &difference);
// "float [3,3,32,64]"
std::string typeText(const outfeed::LoggedTensor &tensor);

} // namespace popscope::host
