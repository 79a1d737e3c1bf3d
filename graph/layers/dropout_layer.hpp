// Zeroes a random share of its input and scales up the rest, in training only.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/model_spec.hpp"

#include <cstdint>

namespace popscope::graph {

class DropoutLayer : public Layer {
public:
  DropoutLayer(LayerSite site, const Dropout &spec, std::uint32_t number);

  // Two words, equal on all replicas; the first is incremented by every
  // micro-batch.
  const poplar::Tensor &seed() const { return seed_; }
  Computation computation() const override { return Computation::dropout; }
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         const TensorSink &preactivations,
                         poplar::program::Sequence &prog) override;
  poplar::Tensor predict(const poplar::Tensor &x,
                         poplar::program::Sequence &prog) override;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) override;

private:
  poplar::Tensor drop(const poplar::Tensor &tensor, const poplar::Tensor &seed,
                      poplar::program::Sequence &prog, const char *part);

  double keep_;
  std::uint32_t number_; // of the layer; layers have different masks
  poplar::Tensor seed_;
  poplar::Tensor reference_; // only its layout matters, which decides the mask
};

} // namespace popscope::graph
