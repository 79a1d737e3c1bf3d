// A training as TensorBoard's Graphs page draws it: one update, from the host's
// images to the changed weights, and what its operations are expected to cost.
#pragma once

#include "graph/training_graph.hpp"
#include "host/graph_page/cost_estimates.hpp"
#include "summary/values/graph.hpp"
#include "summary/values/run_profile.hpp"

#include <optional>

namespace popscope::host {

struct TrainingPage {
  summary::GraphDescription operations;
  summary::LayerGraph layers;
  summary::RunProfile costs; // no nodes without estimates
};

// Each stage of a pipeline is a box with its layers, their gradients and the
// update of their weights. Taps are not drawn.
TrainingPage describeTraining(const graph::TrainingSpec &spec,
                              unsigned replicas,
                              const std::optional<CostEstimates> &estimates);

} // namespace popscope::host
