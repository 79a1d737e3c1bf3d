// One training from beginning to end.
#pragma once

#include "host/train_options.hpp"

#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// `arguments` are those of the command line, to say how to resume. Returns the
// exit code; throws BadInput before anything is trained.
int runTraining(const TrainOptions &options,
                const std::vector<std::string> &arguments, std::ostream &out);

} // namespace popscope::host
