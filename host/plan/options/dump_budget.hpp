// How much --on-alarm dump may write, as a user writes it.
#pragma once

#include "outfeed/sinks/bad_tensor_dump.hpp"

#include <string>

namespace popscope::host {

// SIZE, or SIZE,FILES; the size in bytes, or in KB, MB or GB of 1024: 256MB,16.
// Throws BadInput naming the option.
outfeed::DumpBudget parseDumpBudget(const std::string &text);

} // namespace popscope::host
