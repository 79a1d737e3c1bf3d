// A fully connected layer with bias and activation.
#pragma once

#include "graph/layers/weighted_layer.hpp"

namespace popscope::graph {

class DenseLayer : public WeightedLayer {
public:
  DenseLayer(LayerSite site, const Dense &spec);

private:
  poplar::Tensor addProduct(const poplar::Tensor &x,
                            poplar::program::Sequence &prog) override;
  poplar::Tensor addKernelGradient(const poplar::Tensor &x,
                                   const poplar::Tensor &dz,
                                   poplar::program::Sequence &prog) override;
  poplar::Tensor addInputGradient(const poplar::Tensor &dz,
                                  poplar::program::Sequence &prog) override;
};

} // namespace popscope::graph
