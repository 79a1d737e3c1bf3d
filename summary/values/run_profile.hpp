// What one execution of the graph cost, node by node. The Graphs page colours
// the run's graph by it.
#pragma once

#include "summary/values/tensor.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::summary {

struct NodeCost {
  std::string node; // its name in the graph
  std::string device;
  std::chrono::microseconds start{0};    // since any fixed moment
  std::chrono::microseconds duration{0}; // shown if above zero
  std::int64_t bytes = 0;
  std::vector<Shape> outputShapes;
};

struct RunProfile {
  std::vector<NodeCost> nodes;
};

// A serialised RunMetadata.
std::string toRunMetadata(const RunProfile &profile);

} // namespace popscope::summary
