// In which order the parts of a compute set run.
#pragma once

#include "poplar/program_node.hpp"

#include <vector>

namespace ipumodel {

// All parts of a compute set see what was there before it started. So a native
// operation runs before those that write what it reads; the vertices are one
// part, which sees to the order among them itself.
struct ComputeSetOrder {
  std::vector<ProgramPtr> beforeVertices;
  std::vector<ProgramPtr> afterVertices;
};

// Throws graph_cycle_error if parts read what each other writes, as two halves
// of a swap do.
ComputeSetOrder orderParts(const GraphData &graph,
                           const ComputeSetInfo &computeSet);

} // namespace ipumodel
