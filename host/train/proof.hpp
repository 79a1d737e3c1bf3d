// Shows that taps change nothing: a training with and without them.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "host/train/model/model_engine.hpp"

#include <cstdint>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// What a training leaves behind: its state and what it measured.
struct TrainedBits {
  std::vector<SavedTensor> state; // weights, and all else a checkpoint has
  std::vector<double> sums;       // of the metrics, in the last epoch
  std::string log;                // log.csv: losses and metrics of each epoch
};

// Throws BadInput if the run has no checkpoint.
TrainedBits trainedBits(const std::filesystem::path &run);

// A line for each tensor and each number of the log that is not the same, bit
// for bit; none if all are.
std::vector<std::string> differencesBetween(const TrainedBits &with,
                                            const TrainedBits &without);

// Of all bytes and names.
std::uint64_t hashOf(const std::vector<SavedTensor> &state);

// Trains twice, with the taps of the options, or all if they name none, and
// without any, and prints whether the bits are the same. Logs go to runs of
// options.logdir; they are temporary if that is empty. Returns 0 if nothing
// differs, 1 if something does. Throws BadInput if it cannot be told.
int proveTraining(const TrainOptions &options,
                  const std::vector<std::string> &commandLine,
                  std::ostream &out);

} // namespace popscope::host
