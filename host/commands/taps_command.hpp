// popscope taps
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

// Adds the subcommand to the command line; when it is the one parsed, `chosen`
// runs it.
void addTapsCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
