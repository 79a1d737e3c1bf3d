// popscope replay: updates of a run again, with other taps.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

void addReplayCommand(CLI::App &app, Command &chosen,
                      const std::vector<std::string> &commandLine);

} // namespace popscope::host
