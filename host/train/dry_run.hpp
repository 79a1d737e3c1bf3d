// A training that ends before it begins.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "outfeed/instances.hpp"

#include <optional>
#include <ostream>

namespace popscope::host {

// Refuses what popscope train would refuse, builds the graph and loads it, and
// prints the settings, the memory and what would be written. No file is
// written; the directory of the run is made for that time only. Throws
// BadInput, also for a run that is to be resumed. Returns the exit code.
int runDry(const TrainOptions &options, std::ostream &out);

// Compiles what popscope train would run with the same options, on a machine
// that need not have the device, and stores it in the executable cache: for all
// instances, if PopRun gave this one a slice. Throws BadInput as runDry does,
// and if there is no cache.
int runCompileOnly(const TrainOptions &options, std::ostream &out,
                   const std::optional<outfeed::ReplicaSlice> &started);

} // namespace popscope::host
