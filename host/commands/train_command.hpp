// popscope train
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

// Adds the subcommand to the command line; when it is the one parsed, `chosen`
// runs it. `commandLine` is all of it, the program first.
void addTrainCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine);

} // namespace popscope::host
