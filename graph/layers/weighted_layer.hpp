// A layer with a kernel, a bias and an activation.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/model_spec.hpp"

namespace popscope::graph {

// What such layers have in common; each kind says what its kernel does.
class WeightedLayer : public Layer {
public:
  std::vector<Variable> variables() const final { return {kernel_, bias_}; }
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         poplar::program::Sequence &prog) final;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) final;

protected:
  // The kind's constructor makes the kernel and the bias.
  WeightedLayer(LayerSite site, Activation activation);

  Variable kernel_;
  Variable bias_;

private:
  // The kernel's product with the layer's input, and the bias added.
  virtual poplar::Tensor addProduct(const poplar::Tensor &x,
                                    poplar::program::Sequence &prog) = 0;
  // Both from `dz`, the gradient of that.
  virtual poplar::Tensor addKernelGradient(const poplar::Tensor &x,
                                           const poplar::Tensor &dz,
                                           poplar::program::Sequence &prog) = 0;
  virtual poplar::Tensor addInputGradient(const poplar::Tensor &dz,
                                          poplar::program::Sequence &prog) = 0;

  Activation activation_;
};

} // namespace popscope::graph
