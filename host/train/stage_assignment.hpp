// Which layers form a pipeline stage.
#pragma once

#include "graph/model_spec.hpp"

#include <string>

namespace popscope::host {

// Assigns the model's layers to stages as the text says: a number of stages,
// or the names of the layers that begin one, separated by commas. The model's
// own assignment is kept if it has that number; else the layers with weights
// are spread evenly. Throws BadInput for an assignment that cannot be.
void assignStages(graph::ModelSpec &model, const std::string &text);

} // namespace popscope::host
