// The terminal that someone looks at.
#pragma once

#include <cstddef>

namespace popscope::text {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Of the terminal behind standard output, now; the usual one if there is none
// or it does not say.
TerminalSize sizeOfTerminal();

} // namespace popscope::text
