#include "graph/layers/dense_layer.hpp"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>

#include <utility>

namespace popscope::graph {

namespace {

poplar::OptionFlags passOptions(const char *pass) {
  return {{"fullyConnectedPass", pass}};
}

} // namespace

DenseLayer::DenseLayer(LayerSite site, const Dense &spec)
    : WeightedLayer(std::move(site), spec.activation) {
  const std::size_t inputs = site_.inputShape[0];
  kernel_ = makeVariable("kernel:0",
                         poplin::createMatMulInputRHS(
                             site_.graph, site_.type, {site_.batch, inputs},
                             {inputs, spec.units}, {label("kernel")},
                             passOptions("TRAINING_FWD"), &site_.plans),
                         {0, 1});
  bias_ = makeBias(spec.units);
}

poplar::Tensor DenseLayer::addProduct(const poplar::Tensor &x,
                                      poplar::program::Sequence &prog) {
  const poplar::Tensor y =
      poplin::matMul(site_.graph, x, kernel_.compute, prog, {label("fwd")},
                     passOptions("TRAINING_FWD"), &site_.plans);
  popops::addInPlace(site_.graph, y, bias_.compute, prog, {label("add_bias")});
  return y;
}

poplar::Tensor DenseLayer::addKernelGradient(const poplar::Tensor &x,
                                             const poplar::Tensor &dz,
                                             poplar::program::Sequence &prog) {
  return poplin::matMul(site_.graph, x.transpose(), dz, prog,
                        {label("kernel_grad")}, passOptions("TRAINING_WU"),
                        &site_.plans);
}

poplar::Tensor DenseLayer::addInputGradient(const poplar::Tensor &dz,
                                            poplar::program::Sequence &prog) {
  return poplin::matMul(site_.graph, dz, kernel_.compute.transpose(), prog,
                        {label("bwd")}, passOptions("TRAINING_BWD"),
                        &site_.plans);
}

} // namespace popscope::graph
