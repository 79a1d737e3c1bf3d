// The histograms that a run has recorded of its tensors, and how many elements
// are in none because they are not finite.
#pragma once

#include "outfeed/health/magnitudes.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace popscope::host {

struct TensorMagnitudes {
  std::string tensor; // its tag without the group
  outfeed::Magnitudes magnitudes;
  std::uint64_t infinite = 0; // elements, of either sign
  std::uint64_t nan = 0;

  std::uint64_t count() const { return magnitudes.count() + infinite + nan; }
};

// From the event files of the run itself, finished or not, over all updates
// that a restart has not replaced; those with a histogram, in the order in
// which tensors first have one.
std::vector<TensorMagnitudes>
recordedMagnitudes(const std::filesystem::path &run);

} // namespace popscope::host
