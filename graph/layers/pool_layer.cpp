#include "graph/layers/pool_layer.hpp"

#include <utility>

namespace popscope::graph {

namespace {

// Drops rows and columns at the end that do not fill a window.
popnn::pooling::PoolParams paramsOf(const LayerSite &site, std::size_t height,
                                    std::size_t width) {
  const auto &in = site.inputShape;
  return {popnn::PoolingType::MAX,
          {in[0], in[1]},
          {height, width},
          {unsigned(height), unsigned(width)},
          {0, 0},
          {-int(in[0] % height), -int(in[1] % width)},
          in[2],
          site.batch,
          site.type};
}

} // namespace

PoolLayer::PoolLayer(LayerSite site, const MaxPool &spec)
    : Layer(std::move(site)),
      params_(paramsOf(site_, spec.window, spec.window)), global_(false) {}

PoolLayer::PoolLayer(LayerSite site, const GlobalMaxPool &)
    : Layer(std::move(site)),
      params_(paramsOf(site_, site_.inputShape[0], site_.inputShape[1])),
      global_(true) {}

std::vector<std::size_t> PoolLayer::usedInput() const {
  std::vector<std::size_t> used = site_.inputShape;
  for (std::size_t d = 0; d < params_.kernelShape.size(); ++d)
    used[d] -= used[d] % params_.kernelShape[d];
  return used;
}

poplar::Tensor PoolLayer::forward(const poplar::Tensor &x, Saved &saved,
                                  const TensorSink &,
                                  poplar::program::Sequence &prog) {
  popnn::pooling::PoolParams params = params_;
  params.batchSize = x.dim(0); // predictions may be of fewer images
  const poplar::Tensor y =
      popnn::pooling::pool(site_.graph, params, x, prog, {label("fwd")});
  saved = {x, y};
  return global_ ? y.reshape({params.batchSize, params.numChannels}) : y;
}

poplar::Tensor PoolLayer::backward(const Saved &saved,
                                   const poplar::Tensor &outputGradient,
                                   InputGradient inputGradient,
                                   const GradientSink &,
                                   poplar::program::Sequence &prog) {
  if (inputGradient == InputGradient::unwanted)
    return {};
  const poplar::Tensor &x = saved[0], &y = saved[1];
  // Equal maxima share the gradient; Keras gives all of it to one of them. Ties
  // are in the flat background of images, where both give the same gradients of
  // the weights.
  return popnn::pooling::poolInputGradient(
      site_.graph, params_, x, y, outputGradient.reshape(y.shape()),
      /*useScaledGradient=*/true, prog, {label("bwd")});
}

} // namespace popscope::graph
