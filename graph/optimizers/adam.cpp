#include "graph/optimizers/adam.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

namespace popscope::graph {

poplar::Tensor AdamOptimizer::addStepSize(poplar::Graph &graph,
                                          const poplar::Tensor &learningRate,
                                          poplar::program::Sequence &prog) {
  using namespace popops::expr;
  const poplar::Tensor updates =
      graph.addVariable(poplar::UNSIGNED_INT, {}, {"iterations"});
  graph.setTileMapping(updates, 0);
  state_.addRemembered("iterations", updates, 0u);
  popops::mapInPlace(graph, _1 + Const(1u), {updates}, prog, {"iterations"});
  const auto remains = [](float beta) {
    return Const(1.0f) - Pow(Const(beta), Cast(_2, poplar::FLOAT));
  };
  return popops::map(graph,
                     _1 * Sqrt(remains(spec_.beta2)) / remains(spec_.beta1),
                     {learningRate, updates}, prog, {"adam/step_size"});
}

std::vector<OptimizerSlot>
AdamOptimizer::addUpdate(poplar::Graph &graph, const Variable &variable,
                         const poplar::Tensor &gradient,
                         const poplar::Tensor &stepSize,
                         poplar::program::Sequence &prog) {
  using namespace popops::expr;
  const std::string label = variable.name + "/adam";
  const poplar::Tensor m = addSlot(graph, variable, "momentum", state_);
  const poplar::Tensor v = addSlot(graph, variable, "velocity", state_);
  popops::mapInPlace(graph, _1 + (_2 - _1) * Const(1.0f - spec_.beta1),
                     {m, gradient}, prog, {label});
  popops::mapInPlace(graph, _1 + (Square(_2) - _1) * Const(1.0f - spec_.beta2),
                     {v, gradient}, prog, {label});
  popops::mapInPlace(graph, _1 - _4 * _2 / (Sqrt(_3) + Const(spec_.epsilon)),
                     {variable.master, m, v, stepSize}, prog, {label});
  return {{"_m", m}, {"_v", v}};
}

} // namespace popscope::graph
