// A fully connected layer with bias and activation.
#pragma once

#include "graph/layer.hpp"
#include "graph/model_spec.hpp"

namespace popscope::graph {

class DenseLayer : public Layer {
public:
  DenseLayer(LayerSite site, const Dense &spec);

  std::vector<Variable> variables() const override { return {kernel_, bias_}; }
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         poplar::program::Sequence &prog) override;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) override;

private:
  std::size_t units_;
  Activation activation_;
  Variable kernel_; // [in, out]
  Variable bias_;
};

} // namespace popscope::graph
