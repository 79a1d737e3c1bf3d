// popscope events
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

// Adds the subcommand and its own subcommands to the command line; when one of
// those is parsed, `chosen` runs it.
void addEventsCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
