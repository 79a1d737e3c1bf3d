#include "graph/optimizers/gradient_accumulator.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>

namespace popscope::graph {

GradientAccumulator::GradientAccumulator(poplar::Graph &graph,
                                         const AccumulationSpec &spec)
    : graph_(graph), spec_(spec) {
  // For one micro-batch all three methods are the same.
  if (spec_.microBatches == 1)
    spec_.method = AccumulationMethod::sum;
  if (spec_.method == AccumulationMethod::runningMean) {
    count_ = graph.addVariable(poplar::FLOAT, {}, {"micro_batches"});
    graph.setTileMapping(count_, 0);
  }
}

bool GradientAccumulator::isAsComputed(const Variable &variable) const {
  return spec_.microBatches == 1 && spec_.lossScale == 1.0f &&
         variable.compute.elementType() == poplar::FLOAT;
}

void GradientAccumulator::addVariable(const Variable &variable) {
  if (!isAsComputed(variable))
    gradients_[variable.name] =
        graph_.clone(variable.master, {variable.name + "/accumulated"});
}

void GradientAccumulator::addReset(poplar::program::Sequence &prog) {
  for (const auto &[name, sum] : gradients_)
    popops::zero(graph_, sum, prog, {name + "/accumulated"});
  if (spec_.method == AccumulationMethod::runningMean)
    popops::zero(graph_, count_, prog, {"micro_batches"});
}

void GradientAccumulator::addMicroBatch(poplar::program::Sequence &prog) {
  using namespace popops::expr;
  if (spec_.method == AccumulationMethod::runningMean)
    popops::mapInPlace(graph_, _1 + Const(1.0f), {count_}, prog,
                       {"micro_batches"});
}

void GradientAccumulator::add(const Variable &variable,
                              const poplar::Tensor &gradient,
                              poplar::program::Sequence &prog) {
  using namespace popops::expr;
  const auto sum = gradients_.find(variable.name);
  if (sum == gradients_.end()) {
    gradients_[variable.name] = gradient;
    return;
  }
  const std::string label = variable.name + "/accumulate";
  const float unscale = 1.0f / spec_.lossScale;
  if (spec_.method == AccumulationMethod::runningMean)
    popops::mapInPlace(
        graph_, _1 + (Cast(_2, poplar::FLOAT) * Const(unscale) - _1) / _3,
        {sum->second, gradient, count_}, prog, {label});
  else
    popops::scaledAddTo(graph_, sum->second, gradient,
                        spec_.method == AccumulationMethod::mean
                            ? unscale / float(spec_.microBatches)
                            : unscale,
                        prog, {label});
}

} // namespace popscope::graph
