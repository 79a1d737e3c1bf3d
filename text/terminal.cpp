#include "text/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <sys/ioctl.h>

namespace popscope::text {

bool isTerminal(int stream) {
  return isatty(stream) && !std::getenv("OMPI_COMM_WORLD_SIZE");
}

namespace {

bool showsColours(int stream) {
  const char *const refusal = std::getenv("NO_COLOR");
  const char *const terminal = std::getenv("TERM");
  return isTerminal(stream) && (!refusal || !*refusal) && terminal &&
         std::string_view(terminal) != "dumb";
}

} // namespace

TerminalSize sizeOfTerminal(int stream) {
  TerminalSize size;
  winsize answer{};
  if (ioctl(stream, TIOCGWINSZ, &answer) != 0)
    return size;
  if (answer.ws_col > 0)
    size.columns = answer.ws_col;
  if (answer.ws_row > 0)
    size.rows = answer.ws_row;
  return size;
}

std::size_t columnsOfStream(int stream) {
  return isTerminal(stream) ? sizeOfTerminal(stream).columns
                            : std::string::npos;
}

std::string highlighted(const std::string &text, int stream) {
  return showsColours(stream) ? "\x1b[33m" + text + "\x1b[0m" : text;
}

std::size_t columnsOf(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(),
                    [](char byte) { return (byte & 0xc0) != 0x80; }));
}

} // namespace popscope::text
