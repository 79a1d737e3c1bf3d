#include "graph/layers/dropout_layer.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <poprand/RandomGen.hpp>

#include <utility>

namespace popscope::graph {

DropoutLayer::DropoutLayer(LayerSite site, const Dropout &spec,
                           std::uint32_t number)
    : Layer(std::move(site)), keep_(1.0 - double(spec.rate)), number_(number),
      seed_(
          site_.graph.addVariable(poplar::UNSIGNED_INT, {2}, {label("seed")})) {
  site_.graph.setTileMapping(seed_, 0);
}

poplar::Tensor DropoutLayer::drop(const poplar::Tensor &tensor,
                                  const poplar::Tensor &seed,
                                  poplar::program::Sequence &prog,
                                  const char *part) {
  return poprand::dropout(site_.graph, &seed, number_, tensor, reference_,
                          keep_, 1.0 / keep_, prog, {label(part)});
}

poplar::Tensor DropoutLayer::forward(const poplar::Tensor &x, Saved &saved,
                                     const TensorSink &,
                                     poplar::program::Sequence &prog) {
  using namespace popops::expr;
  if (keep_ == 1.0)
    return x;
  poplar::Graph &graph = site_.graph;
  reference_ = x;
  // A copy of the seed is kept for backward. Replicas add their number to its
  // second word.
  const poplar::Tensor seed = graph.clone(seed_, {label("batch_seed")});
  prog.add(poplar::program::Copy(seed_, seed, false, {label("batch_seed")}));
  if (graph.getReplicationFactor() > 1) {
    const poplar::Tensor replica =
        graph.addReplicationIndexConstant({label("replica")});
    graph.setTileMapping(replica, 0);
    popops::addInPlace(graph, seed[1], replica, prog, {label("batch_seed")});
  }
  popops::mapInPlace(graph, _1 + Const(1u), {seed_[0]}, prog,
                     {label("next_seed")});
  saved = {seed};
  return drop(x, seed, prog, "fwd");
}

poplar::Tensor DropoutLayer::predict(const poplar::Tensor &x,
                                     poplar::program::Sequence &) {
  return x;
}

poplar::Tensor DropoutLayer::backward(const Saved &saved,
                                      const poplar::Tensor &outputGradient,
                                      InputGradient inputGradient,
                                      const GradientSink &,
                                      poplar::program::Sequence &prog) {
  if (inputGradient == InputGradient::unwanted)
    return {};
  if (keep_ == 1.0)
    return outputGradient;
  return drop(outputGradient, saved[0], prog, "bwd");
}

} // namespace popscope::graph
