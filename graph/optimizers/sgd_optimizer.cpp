#include "graph/optimizers/sgd_optimizer.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

namespace popscope::graph {

std::vector<OptimizerSlot>
SgdOptimizer::addUpdate(poplar::Graph &graph, const Variable &variable,
                        const poplar::Tensor &gradient,
                        const poplar::Tensor &stepSize,
                        poplar::program::Sequence &prog) {
  using namespace popops::expr;
  const std::string label = variable.name + "/sgd";
  if (spec_.momentum == 0.0f) {
    popops::mapInPlace(graph, _1 - _3 * _2,
                       {variable.master, gradient, stepSize}, prog, {label});
    return {};
  }
  const poplar::Tensor velocity = addSlot(graph, variable, "momentum", state_);
  popops::mapInPlace(graph, _1 * Const(spec_.momentum) - _3 * _2,
                     {velocity, gradient, stepSize}, prog, {label});
  popops::addInPlace(graph, variable.master, velocity, prog, {label});
  return {{"_momentum", velocity}};
}

} // namespace popscope::graph
