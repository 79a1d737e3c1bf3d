// Zeroes a random share of its input and scales up the rest, in training only.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/model_spec.hpp"

#include <cstdint>

namespace popscope::graph {

class DropoutLayer : public Layer {
public:
  DropoutLayer(LayerSite site, const Dropout &spec, std::uint32_t number);

  // Two words, equal on all replicas; the first counts the micro-batches.
  const poplar::Tensor &seed() const { return seed_; }
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
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
  std::uint32_t number_; // of the layer, sets the masks of two layers apart
  poplar::Tensor seed_;
  poplar::Tensor reference_; // the mask follows its layout, not its values
};

} // namespace popscope::graph
