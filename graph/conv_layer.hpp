// A convolution with bias and activation.
#pragma once

#include "graph/layer.hpp"
#include "graph/model_spec.hpp"

#include <poplin/ConvParams.hpp>

namespace popscope::graph {

class ConvLayer : public Layer {
public:
  ConvLayer(LayerSite site, const Conv &spec);

  std::vector<Variable> variables() const override { return {kernel_, bias_}; }
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         poplar::program::Sequence &prog) override;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) override;

private:
  Activation activation_;
  poplin::ConvParams params_;
  Variable kernel_; // [out, in, height, width]
  Variable bias_;
};

} // namespace popscope::graph
