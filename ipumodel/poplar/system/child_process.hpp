// Runs another program and waits for it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ipumodel {

struct ChildResult {
  int exitCode; // 128 + the signal's number if one ended the program
  std::string output;
  std::string errors;
};

// arguments[0] is the program, searched in PATH unless it contains a slash. Its
// standard input is `input`. Throws std::system_error if it cannot be started.
ChildResult runChild(const std::vector<std::string> &arguments,
                     std::string_view input = {});

// The path of the file that running `program` would execute; empty if none.
std::string findProgram(const std::string &program);

} // namespace ipumodel
