// What the command line chose to do.
#pragma once

#include <functional>
#include <stdexcept>

namespace popscope::host {

// Runs one subcommand with its parsed options; returns the exit code.
using Command = std::function<int()>;

enum ExitCode : int { exitOk = 0, exitFailed = 1, exitBadInput = 2 };

// What the user gave (an option, a file) cannot be used. The message is one
// line that names it; main turns it into exitBadInput.
class BadInput : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace popscope::host
