// A layer with a kernel, a bias and an activation.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/model_spec.hpp"

namespace popscope::graph {

// The common part of such layers; derived classes apply the kernel.
class WeightedLayer : public Layer {
public:
  std::vector<Variable> variables() const final { return {kernel_, bias_}; }
  Computation computation() const final {
    return activation_ == Activation::selu ? Computation::selu
                                           : Computation::relu;
  }
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         const TensorSink &preactivations,
                         poplar::program::Sequence &prog) final;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) final;

protected:
  // The derived class creates the kernel and the bias in its constructor.
  WeightedLayer(LayerSite site, Activation activation);

  Variable kernel_;
  Variable bias_;

private:
  // Applies the kernel to the layer's input and adds the bias.
  virtual poplar::Tensor addProduct(const poplar::Tensor &x,
                                    poplar::program::Sequence &prog) = 0;
  // `dz` is the gradient of addProduct's result.
  virtual poplar::Tensor addKernelGradient(const poplar::Tensor &x,
                                           const poplar::Tensor &dz,
                                           poplar::program::Sequence &prog) = 0;
  virtual poplar::Tensor addInputGradient(const poplar::Tensor &dz,
                                          poplar::program::Sequence &prog) = 0;

  Activation activation_;
};

} // namespace popscope::graph
