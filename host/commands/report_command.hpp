// popscope report: a page that shows runs.
#pragma once

#include "host/command.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

void addReportCommand(CLI::App &app, Command &chosen);

} // namespace popscope::host
