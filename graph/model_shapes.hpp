// The shapes that a model's layers make, and whether they can.
#pragma once

#include "graph/model_spec.hpp"

#include <cstddef>
#include <vector>

namespace popscope::graph {

// What each layer makes of one image, channels last. Throws
// std::invalid_argument, naming the layer, for a model that cannot be built.
std::vector<std::vector<std::size_t>> outputShapes(const ModelSpec &model);

// Elements of a tensor of this shape.
std::size_t numElements(const std::vector<std::size_t> &shape);

// Stages of the pipeline, one more than the last layer's.
unsigned stageCount(const ModelSpec &model);

} // namespace popscope::graph
