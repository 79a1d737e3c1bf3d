// Everything a training needs to go on as if it had not stopped.
#pragma once

#include "host/counts.hpp"
#include "host/train/model/model_engine.hpp"
#include "outfeed/sinks/epoch_table.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::host {

struct Checkpoint {
  std::string plan; // TrainingPlan::describe(); must be equal to resume
  Batches done;     // since the training began
  std::vector<std::vector<double>> metricStates; // of the epoch begun
  std::vector<SavedTensor> tensors;
  std::vector<outfeed::EpochTable::SavedRow> table; // of the epoch begun
};

// As its file has them; throws std::out_of_range if they are damaged.
std::string bytesOf(const Checkpoint &checkpoint);
Checkpoint checkpointOf(std::string_view bytes);

// Replaces the file of the last one, which is kept as the previous: a kill or a
// loss of power at any moment leaves a whole checkpoint. Throws
// std::runtime_error.
void writeCheckpoint(const std::filesystem::path &directory,
                     const Checkpoint &checkpoint);

// Copies it, if there is one and `directory` has none yet. What cannot be
// copied is a help less, and nothing worse.
void keepCheckpoint(const std::filesystem::path &checkpoint,
                    const std::filesystem::path &directory);

// Throws BadInput, naming the file, if there is none or it is damaged; then it
// says how to go back to the previous one, if that is whole.
Checkpoint readCheckpoint(const std::filesystem::path &directory);

} // namespace popscope::host
