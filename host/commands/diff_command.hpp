// popscope diff: where two runs part.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

void addDiffCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
