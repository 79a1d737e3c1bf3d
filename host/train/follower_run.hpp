// A training in an instance that is not the first one.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "outfeed/instances.hpp"

namespace popscope::host {

// Trains the replicas of this instance, as runTraining does with the same
// options in the first one, which decides, prints and writes. Returns its exit
// code.
int followTraining(const TrainOptions &options, outfeed::Instances &instances);

} // namespace popscope::host
