// popscope control: turns the taps of a running training on and off.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

void addControlCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
