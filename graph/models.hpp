// The models of the presets, and the optimiser that each is trained with.
#pragma once

#include "graph/model_spec.hpp"
#include "graph/optimizers/optimizer_spec.hpp"

namespace popscope::graph {

enum class MlpLayers { all, withoutDense256 };

// Dense layers for digits of 28 x 28 pixels, in two pipeline stages; in one
// without Dense_256.
ModelSpec mlpModel(MlpLayers layers = MlpLayers::all);
OptimizerSpec mlpOptimizer();

// Three convolutions with pooling for the same digits, in two pipeline stages.
ModelSpec cnnModel();
OptimizerSpec cnnOptimizer();

// Two convolutions and global max pooling for the same digits.
ModelSpec gmpCnnModel();
OptimizerSpec gmpCnnOptimizer();

// One hidden layer for clothes of 28 x 28 pixels.
ModelSpec fashionModel();
OptimizerSpec fashionOptimizer();

// Two hidden layers with SELU for digits of 8 x 8 pixels.
ModelSpec digitsModel();
OptimizerSpec digitsOptimizer();

} // namespace popscope::graph
