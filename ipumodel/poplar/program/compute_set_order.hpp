// The order in which the parts of a compute set run.
#pragma once

#include "poplar/program/program_node.hpp"

#include <vector>

namespace ipumodel {

// All parts of a compute set see the values from before it started. So a native
// operation runs before the parts that overwrite its inputs; the vertices are
// one part and are ordered among themselves elsewhere.
struct ComputeSetOrder {
  std::vector<ProgramPtr> beforeVertices;
  std::vector<ProgramPtr> afterVertices;
};

// Throws graph_cycle_error if parts read each other's outputs, as the two
// halves of a swap do.
ComputeSetOrder orderParts(const GraphData &graph,
                           const ComputeSetInfo &computeSet);

} // namespace ipumodel
