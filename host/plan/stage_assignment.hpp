// Which layers form a pipeline stage.
#pragma once

#include "graph/model_spec.hpp"

#include <string>

namespace popscope::host {

// Assigns the model's layers to the stages that `text` asks for: a number of
// stages, or the names of the layers that begin a new one, separated by commas.
// A model that already has that number of stages keeps them; in any other the
// layers with weights are spread evenly. Throws BadInput for an impossible one.
void assignStages(graph::ModelSpec &model, const std::string &text);

} // namespace popscope::host
