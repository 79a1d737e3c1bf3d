#include "graph/dense_layer.hpp"

#include "graph/activation.hpp"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

#include <utility>

namespace popscope::graph {

namespace {

poplar::OptionFlags passOptions(const char *pass) {
  return {{"fullyConnectedPass", pass}};
}

} // namespace

DenseLayer::DenseLayer(LayerSite site, const Dense &spec)
    : Layer(std::move(site)), units_(spec.units), activation_(spec.activation),
      kernel_(makeVariable("kernel:0",
                           poplin::createMatMulInputRHS(
                               site_.graph, site_.type,
                               {site_.batch, site_.inputShape[0]},
                               {site_.inputShape[0], units_}, {label("kernel")},
                               passOptions("TRAINING_FWD"), &site_.plans),
                           {0, 1})),
      bias_(makeBias(units_)) {}

poplar::Tensor DenseLayer::forward(const poplar::Tensor &x, Saved &saved,
                                   poplar::program::Sequence &prog) {
  poplar::Graph &graph = site_.graph;
  const poplar::Tensor y =
      poplin::matMul(graph, x, kernel_.compute, prog, {label("fwd")},
                     passOptions("TRAINING_FWD"), &site_.plans);
  popops::addInPlace(graph, y, bias_.compute, prog, {label("add_bias")});
  addActivation(graph, activation_, y, prog, {label("activation")});
  saved = {x};
  if (activation_ != Activation::none)
    saved.push_back(y);
  return y;
}

poplar::Tensor DenseLayer::backward(const Saved &saved,
                                    const poplar::Tensor &outputGradient,
                                    InputGradient inputGradient,
                                    const GradientSink &sink,
                                    poplar::program::Sequence &prog) {
  poplar::Graph &graph = site_.graph;
  const poplar::Tensor dz =
      addActivationGradient(graph, activation_, saved.back(), outputGradient,
                            prog, {label("activation_grad")});
  sink(bias_, popops::reduce(graph, dz, {0}, popops::Operation::ADD, prog,
                             {label("bias_grad")}));
  sink(kernel_, poplin::matMul(graph, saved[0].transpose(), dz, prog,
                               {label("kernel_grad")},
                               passOptions("TRAINING_WU"), &site_.plans));
  if (inputGradient == InputGradient::unwanted)
    return {};
  return poplin::matMul(graph, dz, kernel_.compute.transpose(), prog,
                        {label("bwd")}, passOptions("TRAINING_BWD"),
                        &site_.plans);
}

} // namespace popscope::graph
