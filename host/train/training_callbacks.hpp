// Makes the callbacks that a training's preset asks for.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "host/graph_page/training_page.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/run_directory.hpp"

#include <memory>
#include <vector>

namespace popscope::host {

// `data` and `run` must outlive the callbacks.
std::vector<std::unique_ptr<Callback>> makeCallbacks(const TrainingPlan &plan,
                                                     const TrainingData &data,
                                                     const RunDirectory &run,
                                                     TrainingPage graphs);

} // namespace popscope::host
