// How this user can look at a log.
#pragma once

#include <filesystem>
#include <string>

namespace popscope::host {

// A shell command that opens TensorBoard on the log directory. A program in the
// build tree of a checkout names the checkout's script, which installs
// TensorBoard; an installed program names its own command.
std::string tensorboardCommand(const std::filesystem::path &program,
                               const std::filesystem::path &workingDirectory,
                               const std::string &logDirectory);

// Of this program and the current directory.
std::string tensorboardCommand(const std::string &logDirectory);

// How to open the page Debugger V2 with such a command, whose log directory is
// that of a run trained with --debugger.
std::string debuggerHint(const std::string &tensorboardCommand);

} // namespace popscope::host
