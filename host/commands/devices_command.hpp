// popscope devices
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

// Adds the subcommand to the command line; if it is chosen, `chosen` runs it.
void addDevicesCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
