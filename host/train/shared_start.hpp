// What the first instance of a training tells the others before it begins.
#pragma once

#include "host/plan/training_plan.hpp"
#include "host/train/state/checkpoint.hpp"
#include "outfeed/instances.hpp"

#include <filesystem>
#include <optional>

namespace popscope::host {

struct SharedStart {
  std::filesystem::path run; // the directory
  std::optional<Checkpoint> checkpoint;
};

// By the first instance: tells where the run is, what it goes on from, and what
// that decided of the plan: its learning rates and the length of executions.
void tellStart(outfeed::Instances &instances, const std::filesystem::path &run,
               const std::optional<Checkpoint> &checkpoint,
               const TrainingPlan &plan);
// By the others, whose plan is made equal.
SharedStart hearStart(outfeed::Instances &instances, TrainingPlan &plan);

} // namespace popscope::host
