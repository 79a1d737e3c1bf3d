// Reshapes an image to one row of features, channels last as in Keras.
#pragma once

#include "graph/layers/layer.hpp"

namespace popscope::graph {

class FlattenLayer : public Layer {
public:
  using Layer::Layer;

  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         const TensorSink &preactivations,
                         poplar::program::Sequence &prog) override;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) override;
};

} // namespace popscope::graph
