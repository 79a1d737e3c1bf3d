// popscope health: what was not finite first in a run.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

void addHealthCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
