// How often a training validates, evaluates and draws.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "host/plan/training_plan.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// Replaces the preset's periods by those that were given. Throws BadInput for
// one that has no effect on this training.
void choosePeriods(TrainingPlan &plan, const PeriodOptions &options);

// A line for each given period that is longer than the training.
std::vector<std::string> periodsNeverDue(const TrainingPlan &plan,
                                         const PeriodOptions &options);

} // namespace popscope::host
