// What the command line chose to do.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace popscope::host {

// Runs one subcommand with its parsed options; returns the exit code.
using Command = std::function<int()>;

enum ExitCode : int {
  exitOk = 0,
  exitFailed = 1,
  exitBadInput = 2,
  exitNotFinite = 3 // an element of a tensor is NaN or infinite
};

// What the user gave (an option, a file) cannot be used. The message is one
// line that names it; main turns it into exitBadInput.
class BadInput : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// The message of a library's error as a user reads it, without the room in
// front: "[outfeed] rule 1: ..." becomes "rule 1: ...".
inline std::string withoutRoom(const std::string &message) {
  const std::size_t end = message.find("] ");
  return message.rfind('[', 0) == 0 && end != std::string::npos
             ? message.substr(end + 2)
             : message;
}

} // namespace popscope::host
