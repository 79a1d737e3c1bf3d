#include "graph/layers/weighted_layer.hpp"

#include "graph/layers/activation.hpp"

#include <popops/Reduce.hpp>

#include <utility>

namespace popscope::graph {

namespace {

// `dz` is [batch, features, ...] and is summed over all but the features.
poplar::Tensor addBiasGradient(poplar::Graph &graph, const poplar::Tensor &dz,
                               poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext) {
  std::vector<std::size_t> dims{0};
  for (std::size_t dim = 2; dim < dz.rank(); ++dim)
    dims.push_back(dim);
  return popops::reduce(graph, dz, dims, popops::Operation::ADD, prog,
                        debugContext);
}

} // namespace

WeightedLayer::WeightedLayer(LayerSite site, Activation activation)
    : Layer(std::move(site)), activation_(activation) {}

poplar::Tensor WeightedLayer::forward(const poplar::Tensor &x, Saved &saved,
                                      const TensorSink &preactivations,
                                      poplar::program::Sequence &prog) {
  const poplar::Tensor y = addProduct(x, prog);
  if (activation_ != Activation::none)
    preactivations(y);
  addActivation(site_.graph, activation_, y, prog, {label("activation")});
  saved = {x};
  if (activation_ != Activation::none)
    saved.push_back(y);
  return y;
}

poplar::Tensor WeightedLayer::backward(const Saved &saved,
                                       const poplar::Tensor &outputGradient,
                                       InputGradient inputGradient,
                                       const GradientSink &sink,
                                       poplar::program::Sequence &prog) {
  const poplar::Tensor dz =
      addActivationGradient(site_.graph, activation_, saved.back(),
                            outputGradient, prog, {label("activation_grad")});
  sink(bias_, addBiasGradient(site_.graph, dz, prog, {label("bias_grad")}));
  sink(kernel_, addKernelGradient(saved[0], dz, prog));
  if (inputGradient == InputGradient::unwanted)
    return {};
  return addInputGradient(dz, prog);
}

} // namespace popscope::graph
