#include "text/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>
#include <unistd.h>

namespace popscope::text {

bool isOutputTerminal() {
  return isatty(STDOUT_FILENO) && !std::getenv("OMPI_COMM_WORLD_SIZE");
}

TerminalSize sizeOfTerminal() {
  TerminalSize size;
  winsize answer{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &answer) != 0)
    return size;
  if (answer.ws_col > 0)
    size.columns = answer.ws_col;
  if (answer.ws_row > 0)
    size.rows = answer.ws_row;
  return size;
}

std::size_t columnsOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return (byte & 0xc0) != 0x80; }));
}

} // namespace popscope::text
