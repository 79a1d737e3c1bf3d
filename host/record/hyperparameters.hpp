// What TensorBoard's HParams page compares runs by.
#pragma once

#include "host/plan/training_plan.hpp"
#include "summary/values/hparams.hpp"

#include <string>

namespace popscope::host {

// Everything that the trained weights depend on, under the names of the
// options, except the number of epochs: a resumed run may have more, and
// TensorBoard keeps the first values of a run that it sees.
summary::HParams hyperparameters(const TrainingPlan &plan,
                                 const std::string &dataDirectory);

} // namespace popscope::host
