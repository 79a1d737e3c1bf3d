// The named models, each with the optimiser it is trained with.
#pragma once

#include "graph/model_spec.hpp"
#include "graph/optimizers/optimizer_spec.hpp"

namespace popscope::graph {

enum class MlpLayers { all, withoutDense256 };

// Digits of 28 x 28 pixels by dense layers, in two pipeline stages; without
// Dense_256 in one.
ModelSpec mlpModel(MlpLayers layers = MlpLayers::all);
OptimizerSpec mlpOptimizer();

// Digits by three convolutions with pooling, in two pipeline stages.
ModelSpec cnnModel();
OptimizerSpec cnnOptimizer();

// Digits by two convolutions and global max pooling.
ModelSpec gmpCnnModel();
OptimizerSpec gmpCnnOptimizer();

// Pieces of clothing of 28 x 28 pixels by one hidden layer.
ModelSpec fashionModel();
OptimizerSpec fashionOptimizer();

// Digits of 8 x 8 pixels by two hidden layers of SELU.
ModelSpec digitsModel();
OptimizerSpec digitsOptimizer();

} // namespace popscope::graph
