// A model as TensorBoard's Graphs page draws it.
#pragma once

#include "graph/model_spec.hpp"
#include "summary/values/graph.hpp"

#include <cstddef>

namespace popscope::host {

// Each layer a box inside the box of its pipeline stage, its operations and
// weights inside, the edges labelled with shapes.
summary::GraphDescription describeGraph(const graph::ModelSpec &model,
                                        std::size_t batchSize);

// The layers as their author thinks of them.
summary::LayerGraph describeLayers(const graph::ModelSpec &model);

} // namespace popscope::host
