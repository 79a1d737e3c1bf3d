// The output shapes of a model's layers.
#pragma once

#include "graph/model_spec.hpp"

#include <cstddef>
#include <vector>

namespace popscope::graph {

// The output of each layer for one image, channels last. Throws
// std::invalid_argument, naming the layer, for a model that cannot be built.
std::vector<std::vector<std::size_t>> outputShapes(const ModelSpec &model);

// Elements of a tensor of this shape.
std::size_t numElements(const std::vector<std::size_t> &shape);

// Number of pipeline stages that the layers are assigned to.
unsigned stageCount(const ModelSpec &model);

} // namespace popscope::graph
