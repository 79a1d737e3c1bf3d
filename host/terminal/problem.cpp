#include "host/terminal/problem.hpp"

#include "text/folded.hpp"
#include "text/terminal.hpp"

#include <iostream>
#include <unistd.h>

namespace popscope::host {

namespace {

// Those of several lines have been laid out by whoever wrote them.
bool mayBeFolded(const std::string &line) {
  for (const char *part : {"popscope ", " --", "\n"})
    if (line.find(part) != std::string::npos)
      return false;
  return true;
}

} // namespace

void printProblem(const std::string &line) {
  std::string text = "popscope: " + line;
  if (mayBeFolded(line))
    text = text::folded(text, text::columnsOfStream(STDERR_FILENO));
  std::cerr << (std::string(text::isTerminal(STDERR_FILENO) ? "\r\x1b[K" : "") +
                text::highlighted(text, STDERR_FILENO) + "\n")
            << std::flush;
}

} // namespace popscope::host
