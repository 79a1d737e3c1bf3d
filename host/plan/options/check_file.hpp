// What --checks names.
#pragma once

#include "outfeed/checks/check_plan.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// Every check with its defaults for the word `default`, or else those of a
// file. Throws BadInput.
std::vector<outfeed::PlannedCheck> readChecks(const std::string &file);

} // namespace popscope::host
