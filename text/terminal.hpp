// The terminal behind standard output.
#pragma once

#include <cstddef>
#include <string_view>

namespace popscope::text {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Whether what is written to standard output is drawn by a terminal. The one
// that mpirun gives its processes is not: their lines may end in a file.
bool isOutputTerminal();

// As it is now; the defaults above if there is no terminal or it does not say.
TerminalSize sizeOfTerminal();

// The columns that a terminal shows the text in: its code points, which is
// right for most scripts.
std::size_t columnsOf(std::string_view text);

} // namespace popscope::text
