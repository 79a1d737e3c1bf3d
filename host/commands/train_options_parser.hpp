// The command line of a training.
#pragma once

#include "host/plan/options/train_options.hpp"

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace popscope::host {

// Adds all options of a training to a command. `options` outlives the parsing,
// which throws BadInput for a value that an option cannot take.
void addTrainOptions(CLI::App &command, TrainOptions &options);

// The words of a command line such that CLI11 takes -inf:TENSOR@... for a fault
// and not for an option, wherever it stands.
std::vector<std::string> withFaultsMarked(std::vector<std::string> words);

} // namespace popscope::host
