// Draws what becomes of the gradients: their accumulation over batches, their
// reduction over replicas, and the optimiser that changes the weights.
#pragma once

#include "host/graph_page/backward_pass.hpp"

#include <vector>

namespace popscope::host {

void drawWeightUpdate(const graph::TrainingSpec &spec, unsigned replicas,
                      const Places &places,
                      std::vector<DrawnGradient> gradients, Drawing &drawing);

} // namespace popscope::host
