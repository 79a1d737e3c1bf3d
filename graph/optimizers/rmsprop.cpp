#include "graph/optimizers/rmsprop.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>

namespace popscope::graph {

std::vector<OptimizerSlot>
RmsPropOptimizer::addUpdate(poplar::Graph &graph, const Variable &variable,
                            const poplar::Tensor &gradient,
                            const poplar::Tensor &stepSize,
                            poplar::program::Sequence &prog) {
  using namespace popops::expr;
  const std::string label = variable.name + "/rmsprop";
  const poplar::Tensor velocity = addSlot(graph, variable, "velocity", state_);
  popops::mapInPlace(
      graph, _1 * Const(spec_.rho) + Square(_2) * Const(1.0f - spec_.rho),
      {velocity, gradient}, prog, {label});
  popops::mapInPlace(graph, _1 - _4 * _2 / Sqrt(_3 + Const(spec_.epsilon)),
                     {variable.master, gradient, velocity, stepSize}, prog,
                     {label});
  return {{"_rms", velocity}};
}

} // namespace popscope::graph
