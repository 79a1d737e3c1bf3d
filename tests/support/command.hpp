// Runs a shell command and returns its output.
#pragma once

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <sys/wait.h>

namespace popscope::tests {

struct CommandResult {
  int exitCode = 0;
  std::string output; // stdout and stderr, in the order written
};

inline CommandResult runCommand(const std::string &command) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  if (!pipe)
    throw std::runtime_error("cannot start " + command);
  CommandResult result;
  std::array<char, 4096> buffer;
  while (const std::size_t got =
             std::fread(buffer.data(), 1, buffer.size(), pipe))
    result.output.append(buffer.data(), got);
  const int status = pclose(pipe);
  result.exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// A loop of the shell: until the condition holds, or what was started in the
// background has ended.
inline std::string waitUntil(const std::string &condition) {
  return "until " + condition +
         " || ! kill -0 $! 2> /dev/null; do sleep 0.05; done; ";
}

} // namespace popscope::tests
