#include "text/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

namespace popscope::text {

TerminalSize sizeOfTerminal() {
  TerminalSize size;
  winsize told{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &told) != 0)
    return size;
  if (told.ws_col > 0)
    size.columns = told.ws_col;
  if (told.ws_row > 0)
    size.rows = told.ws_row;
  return size;
}

} // namespace popscope::text
