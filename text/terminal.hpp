// The terminal that a stream is shown on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unistd.h>

namespace popscope::text {

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};

// Whether what is written to the stream is drawn by a terminal. The one that
// mpirun gives its processes does not count: their lines may end in a file.
bool isTerminal(int stream);

// As it is now; the defaults above if there is no terminal or it does not say.
TerminalSize sizeOfTerminal(int stream = STDOUT_FILENO);

// The columns of the terminal, or no limit if the stream is none.
std::size_t columnsOfStream(int stream);

// What asks for attention: yellow on a terminal, as it is elsewhere, and where
// the variable NO_COLOR is set.
std::string highlighted(const std::string &text, int stream);

// The columns that a terminal shows the text in: its code points, which is
// right for most scripts.
std::size_t columnsOf(std::string_view text);

} // namespace popscope::text
