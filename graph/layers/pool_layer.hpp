// Max pooling over windows or over whole channels.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/model_spec.hpp"

#include <popnn/Pooling.hpp>

namespace popscope::graph {

class PoolLayer : public Layer {
public:
  PoolLayer(LayerSite site, const MaxPool &spec);
  PoolLayer(LayerSite site, const GlobalMaxPool &spec); // outputs [channels]

  Computation computation() const override { return Computation::pooling; }
  std::vector<std::size_t> usedInput() const override;
  poplar::Tensor forward(const poplar::Tensor &x, Saved &saved,
                         const TensorSink &preactivations,
                         poplar::program::Sequence &prog) override;
  poplar::Tensor backward(const Saved &saved,
                          const poplar::Tensor &outputGradient,
                          InputGradient inputGradient, const GradientSink &sink,
                          poplar::program::Sequence &prog) override;

private:
  popnn::pooling::PoolParams params_;
  bool global_;
};

} // namespace popscope::graph
