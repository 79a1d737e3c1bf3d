// Assigns the engine's estimates to the nodes of the Graphs page.
#pragma once

#include "host/graph_page/cost_estimates.hpp"
#include "host/graph_page/drawing.hpp"
#include "summary/values/run_profile.hpp"

#include <vector>

namespace popscope::host {

// Of this many batches, because the page shows whole microseconds and many
// operations take less.
constexpr unsigned kProfiledBatches = 1000;
constexpr char kProfileName[] = "estimated time of 1000 batches";

// Adds attributes `estimated_cycles` (of one execution) and `estimated_bytes`
// to nodes whose programs or tensors the engine knows. Returns the time of
// kProfiledBatches batches of one replica, with as many updates as those need;
// the nodes of a device follow each other without gaps, so that a box shows the
// sum of its nodes. Nodes without costs are in it too, with a shape: the page
// fades nodes of which a profile says nothing.
summary::RunProfile addCosts(const CostEstimates &estimates,
                             unsigned batchesPerUpdate,
                             std::vector<DrawnNode> &nodes);

} // namespace popscope::host
