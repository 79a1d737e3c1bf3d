// A model with a convolution, pooling and dense layers in two stages, small
// enough to be trained many times.
#pragma once

#include "graph/training_graph.hpp"

namespace popscope::graph::tests {

inline TrainingSpec smallSpec() {
  TrainingSpec spec;
  spec.model = {"small",
                {6, 6, 1},
                {{"conv", Conv{4, 3, Activation::relu}, 0},
                 {"pool", MaxPool{2}, 0},
                 {"flatten", Flatten{}, 1},
                 {"hidden", Dense{12, Activation::selu}, 1},
                 {"out", Dense{10, Activation::softmax}, 1}}};
  spec.optimizer = {Sgd{}, 0.1f};
  spec.batchSize = 4;
  return spec;
}

} // namespace popscope::graph::tests
