// Draws a batch's way from the host through the layers to the loss.
#pragma once

#include "graph/training_graph.hpp"
#include "host/graph_page/drawn_layer.hpp"
#include "host/graph_page/places.hpp"

#include <string>
#include <vector>

namespace popscope::host {

struct ForwardPass {
  std::vector<DrawnLayer> layers;
  std::string logitsGradient; // the node where the backward pass begins
};

ForwardPass drawForwardPass(const graph::TrainingSpec &spec,
                            const Places &places, Drawing &drawing);

} // namespace popscope::host
