// How many images a batch has, and how many batches an update, an execution and
// an epoch have.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "host/plan/training_plan.hpp"

#include <cstddef>

namespace popscope::host {

// Decides them for a plan that has its preset, epochs and replicas, and a
// training set of so many images. Throws BadInput for numbers that do not fit
// together or are too large, naming an option that was given and a value that
// would work.
void chooseBatchCounts(TrainingPlan &plan, const TrainOptions &options,
                       std::size_t images);

} // namespace popscope::host
