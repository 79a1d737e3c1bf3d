// Stochastic gradient descent, with or without momentum.
#pragma once

#include "graph/optimizers/optimizer.hpp"

namespace popscope::graph {

// velocity = momentum * velocity - rate * gradient; weight += velocity
class SgdOptimizer : public Optimizer {
public:
  SgdOptimizer(const Sgd &spec, StateCatalog &state)
      : spec_(spec), state_(state) {}

  std::vector<OptimizerSlot>
  addUpdate(poplar::Graph &graph, const Variable &variable,
            const poplar::Tensor &gradient, const poplar::Tensor &stepSize,
            poplar::program::Sequence &prog) override;

private:
  Sgd spec_;
  StateCatalog &state_;
};

} // namespace popscope::graph
