// Makes the callbacks that a training's preset asks for.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "host/run/run_directory.hpp"
#include "host/train/model_engine.hpp"
#include "host/train/training_plan.hpp"

#include <memory>
#include <vector>

namespace popscope::host {

// `data` and `run` must outlive the callbacks.
std::vector<std::unique_ptr<Callback>> makeCallbacks(const TrainingPlan &plan,
                                                     const TrainingData &data,
                                                     const RunDirectory &run,
                                                     ModelEngine &model);

} // namespace popscope::host
