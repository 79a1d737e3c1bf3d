// Where a resumed training goes on, and what it may do otherwise.
#pragma once

#include "host/plan/training_plan.hpp"
#include "host/run/run_directory.hpp"
#include "host/train/state/checkpoint.hpp"

#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

struct ResumePoint {
  std::optional<Checkpoint> checkpoint; // absent: the run is new
  std::vector<std::string> changes;     // in words
};

// Whether plans with these descriptions train the same weights: their
// executions may differ in length.
bool trainAlike(const std::string &description, const std::string &other);

// Reads the last checkpoint of a run that is resumed. Another learning rate
// holds from the next epoch on; `plan` then has the rates of all epochs, also
// of those before. Executions are as long as those of the run unless the
// options say how long they are. Throws BadInput that names an option if the
// plan differs in anything else that the weights depend on, or has fewer epochs
// than were trained.
ResumePoint resumePointOf(RunDirectory &run, const TrainOptions &options,
                          TrainingPlan &plan);

} // namespace popscope::host
