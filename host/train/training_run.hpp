// One training from beginning to end.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "outfeed/instances.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// In the first instance, or the only one. `commandLine` is all of it, the
// program first, to say how to resume. Returns the exit code; throws BadInput
// before anything is trained.
int runTraining(const TrainOptions &options,
                const std::vector<std::string> &commandLine, std::ostream &out,
                outfeed::Instances &instances);

} // namespace popscope::host
