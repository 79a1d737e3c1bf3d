// The histograms that a run has recorded of its tensors.
#pragma once

#include "outfeed/health/magnitudes.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

struct TensorMagnitudes {
  std::string tensor; // its tag without the group
  outfeed::Magnitudes magnitudes;
};

// From the event files of the run itself, finished or not, over all updates
// that a restart has not replaced; in the order in which tensors first appear.
std::vector<TensorMagnitudes>
recordedMagnitudes(const std::filesystem::path &run);

} // namespace popscope::host
