// Runs some updates of a training again, with other taps and the same bits.
#pragma once

#include "host/plan/options/train_options.hpp"

#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

namespace popscope::host {

// Begins at the last checkpoint of `original` that is not beyond the span of
// the options, or at the first update if there is none, and ends after the
// span. The options are those of the original, but for its taps and for where
// the log goes. Returns an exit code.
int runReplay(const TrainOptions &options,
              const std::filesystem::path &original,
              const std::vector<std::string> &commandLine, std::ostream &out);

} // namespace popscope::host
