// The layers of a model, as TensorBoard's conceptual graph draws them.
#pragma once

#include "graph/model_spec.hpp"
#include "summary/values/graph.hpp"

namespace popscope::host {

summary::LayerGraph describeLayers(const graph::ModelSpec &model);

} // namespace popscope::host
