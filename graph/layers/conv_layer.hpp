// A convolution with bias and activation.
#pragma once

#include "graph/layers/weighted_layer.hpp"

#include <poplin/ConvParams.hpp>

namespace popscope::graph {

class ConvLayer : public WeightedLayer {
public:
  ConvLayer(LayerSite site, const Conv &spec);

private:
  poplar::Tensor addProduct(const poplar::Tensor &x,
                            poplar::program::Sequence &prog) override;
  poplar::Tensor addKernelGradient(const poplar::Tensor &x,
                                   const poplar::Tensor &dz,
                                   poplar::program::Sequence &prog) override;
  poplar::Tensor addInputGradient(const poplar::Tensor &dz,
                                  poplar::program::Sequence &prog) override;

  poplin::ConvParams params_;
};

} // namespace popscope::graph
