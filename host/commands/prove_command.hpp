// popscope prove: that taps do not change a training.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

void addProveCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine);

} // namespace popscope::host
