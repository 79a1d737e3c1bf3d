// The operations that a training step spends its time on.
#pragma once

#include "graph/training_graph.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace benchmarks {

struct StepShare {
  std::string kind; // of operation, such as "poplin.convolution"
  double share;     // of the step's time
};

// All kinds of operations in `steps` steps, the largest share first. Operations
// run separately, since fused ones cannot be distinguished.
std::vector<StepShare> stepShares(const popscope::graph::TrainingSpec &spec,
                                  std::size_t steps);

} // namespace benchmarks
