#include "graph/layers/conv_layer.hpp"

#include <poplin/ConvUtil.hpp>

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
    : WeightedLayer(std::move(site), spec.activation),
      params_(paramsOf(site_, spec)) {
  kernel_ = makeVariable(
      "kernel:0", // [out, in, height, width]
      poplin::createWeights(site_.graph, params_, {label("kernel")},
                            forwardOptions(), &site_.plans)[0],
      {2, 3, 1, 0});
  bias_ = makeBias(spec.filters);
}

poplar::Tensor ConvLayer::addProduct(const poplar::Tensor &x,
                                     poplar::program::Sequence &prog) {
  poplin::ConvParams params = params_;
  params.batchSize = x.dim(0); // predictions may be of fewer images
  const poplar::Tensor y = poplin::convolution(
      site_.graph, x, kernel_.compute.expand({0}), params, false, prog,
      {label("fwd")}, forwardOptions(), &site_.plans);
  poplin::addBias(site_.graph, y, bias_.compute, prog, {label("add_bias")});
  return y;
}

poplar::Tensor ConvLayer::addKernelGradient(const poplar::Tensor &x,
                                            const poplar::Tensor &dz,
                                            poplar::program::Sequence &prog) {
  return poplin::calculateWeightDeltas(site_.graph, dz, x, params_, prog,
                                       {label("kernel_grad")}, forwardOptions(),
                                       &site_.plans)[0];
}

poplar::Tensor ConvLayer::addInputGradient(const poplar::Tensor &dz,
                                           poplar::program::Sequence &prog) {
  return poplin::convolution(site_.graph, dz, kernel_.compute.expand({0}),
                             poplin::getGradientParams(params_), true, prog,
                             {label("bwd")}, backwardOptions(), &site_.plans);
}

} // namespace popscope::graph
