// Finds reasons why TensorBoard would show nothing of a log, or only a part.
#pragma once

#include "host/events/reading/selection.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::host::events {

struct Finding {
  std::string where; // a file or directory, or a run and tag
  std::string what;
};

struct Diagnosis {
  std::vector<Finding> findings;
  std::size_t runs = 0;
  std::size_t tags = 0; // of all runs
};

// Throws BadInput if there is nothing at the path.
Diagnosis diagnose(const LogSelection &log);

} // namespace popscope::host::events
