// What a training step spends its time on.
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

// Of all kinds of operations in `steps` steps, the largest first. Operations
// run one by one, since those that run as one cannot be told apart.
std::vector<StepShare> stepShares(const popscope::graph::TrainingSpec &spec,
                                  std::size_t steps);

} // namespace benchmarks
