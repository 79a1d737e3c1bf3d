#include "graph/conv_layer.hpp"

#include "graph/activation.hpp"

#include <poplin/ConvUtil.hpp>
#include <popops/Reduce.hpp>

#include <utility>

namespace popscope::graph {

namespace {

const poplar::OptionFlags &forwardOptions() {
  static const poplar::OptionFlags options{{"pass", "TRAINING_FWD"}};
  return options;
}

const poplar::OptionFlags &backwardOptions() {
  static const poplar::OptionFlags options{{"pass", "TRAINING_BWD"}};
  return options;
}

poplin::ConvParams paramsOf(const LayerSite &site, const Conv &spec) {
  const auto &in = site.inputShape;
  return {site.type,
          site.batch,
          {in[0], in[1]},
          {spec.kernel, spec.kernel},
          in[2],
          spec.filters,
          1};
}

} // namespace

ConvLayer::ConvLayer(LayerSite site, const Conv &spec)
    : Layer(std::move(site)), activation_(spec.activation),
      params_(paramsOf(site_, spec)),
      kernel_(makeVariable(
          "kernel:0",
          poplin::createWeights(site_.graph, params_, {label("kernel")},
                                forwardOptions(), &site_.plans)[0],
          {2, 3, 1, 0})),
      bias_(makeBias(spec.filters)) {}

poplar::Tensor ConvLayer::forward(const poplar::Tensor &x, Saved &saved,
                                  poplar::program::Sequence &prog) {
  poplar::Graph &graph = site_.graph;
  const poplar::Tensor y =
      poplin::convolution(graph, x, kernel_.compute.expand({0}), params_, false,
                          prog, {label("fwd")}, forwardOptions(), &site_.plans);
  poplin::addBias(graph, y, bias_.compute, prog, {label("add_bias")});
  addActivation(graph, activation_, y, prog, {label("activation")});
  saved = {x};
  if (activation_ != Activation::none)
    saved.push_back(y);
  return y;
}

poplar::Tensor ConvLayer::backward(const Saved &saved,
                                   const poplar::Tensor &outputGradient,
                                   InputGradient inputGradient,
                                   const GradientSink &sink,
                                   poplar::program::Sequence &prog) {
  poplar::Graph &graph = site_.graph;
  const poplar::Tensor dz =
      addActivationGradient(graph, activation_, saved.back(), outputGradient,
                            prog, {label("activation_grad")});
  sink(bias_, popops::reduce(graph, dz, {0, 2, 3}, popops::Operation::ADD, prog,
                             {label("bias_grad")}));
  sink(kernel_, poplin::calculateWeightDeltas(
                    graph, dz, saved[0], params_, prog, {label("kernel_grad")},
                    forwardOptions(), &site_.plans)[0]);
  if (inputGradient == InputGradient::unwanted)
    return {};
  return poplin::convolution(graph, dz, kernel_.compute.expand({0}),
                             poplin::getGradientParams(params_), true, prog,
                             {label("bwd")}, backwardOptions(), &site_.plans);
}

} // namespace popscope::graph
