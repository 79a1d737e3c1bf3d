// Lines that are broken between words, so that they fit a terminal.
#pragma once

#include <cstddef>
#include <string>

namespace popscope::text {

// A line of at most so many columns and, indented, what does not fit into it.
// It is broken only at the gap, which may be wider than a blank; blanks in
// front of it stay.
std::string folded(const std::string &line, std::size_t columns,
                   const std::string &indent = "  ",
                   const std::string &gap = " ");

} // namespace popscope::text
