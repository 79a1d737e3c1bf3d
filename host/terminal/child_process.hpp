// Another program that runs in the place of this one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// The path of a program: the name itself if it has a slash, else where PATH has
// it. Nothing if it cannot be executed.
std::optional<std::string> findProgram(const std::string &name);

// Runs a program whose first word is its path, without a shell. Its standard
// error is passed on line by line; `afterLine` is called after each. It gets
// SIGTERM when this process gets SIGINT, SIGTERM or SIGHUP, and when it dies; a
// second signal kills it. Returns its exit code, or 128 + the signal that ended
// one of both; exitBadInput, after a line that says so, if it cannot be
// executed.
int runChild(const std::vector<std::string> &command,
             const std::function<void(const std::string &line)> &afterLine);

// The exit code of a program that says nothing.
int runQuietly(const std::vector<std::string> &command);

} // namespace popscope::host
