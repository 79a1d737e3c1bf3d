// The part of the command line that is about taps.
#pragma once

#include "host/plan/options/inspection_options.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

// Adds the options; `options` outlives the parsing.
void addInspectionOptions(CLI::App &command, InspectionOptions &options);

} // namespace popscope::host
