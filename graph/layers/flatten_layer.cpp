#include "graph/layers/flatten_layer.hpp"

namespace popscope::graph {

poplar::Tensor FlattenLayer::forward(const poplar::Tensor &x, Saved &,
                                     const TensorSink &,
                                     poplar::program::Sequence &) {
  return x.rank() == 2 ? x : x.dimShuffle({0, 2, 3, 1}).flatten(1, 4);
}

poplar::Tensor FlattenLayer::backward(const Saved &,
                                      const poplar::Tensor &outputGradient,
                                      InputGradient, const GradientSink &,
                                      poplar::program::Sequence &) {
  const auto &in = site_.inputShape;
  if (in.size() == 1)
    return outputGradient;
  return outputGradient.reshape({site_.batch, in[0], in[1], in[2]})
      .dimShuffle({0, 3, 1, 2});
}

} // namespace popscope::graph
