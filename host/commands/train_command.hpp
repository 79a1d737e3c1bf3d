// popscope train
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

// Adds the subcommand to the command line; if it is chosen, `chosen` runs it.
// `commandLine` is all of it, beginning with the program.
void addTrainCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine);

} // namespace popscope::host
