// The command line of a training.
#pragma once

#include "host/plan/options/train_options.hpp"

#include <CLI/App.hpp>

namespace popscope::host {

// Adds all options of a training to a command. `options` outlives the parsing,
// which throws BadInput for a value that an option cannot take.
void addTrainOptions(CLI::App &command, TrainOptions &options);

} // namespace popscope::host
