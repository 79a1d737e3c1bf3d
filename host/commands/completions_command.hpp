// popscope completions
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

// Adds the subcommand to the command line; if it is chosen, `chosen` runs it.
// `app` is the whole program and outlives `chosen`.
void addCompletionsCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
