// What the user has to know, on standard error.
#pragma once

#include <string>

namespace popscope::host {

// Prints "popscope: " and the line; on a terminal in the place of a progress
// bar, broken between words where the terminal ends. A line that names a
// command or an option is not broken, so that it can be copied.
void printProblem(const std::string &line);

} // namespace popscope::host
