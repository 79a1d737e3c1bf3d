// RMSprop: steps divided by the root of a running mean of squared gradients.
#pragma once

#include "graph/optimizers/optimizer.hpp"

namespace popscope::graph {

// velocity = rho * velocity + (1 - rho) * gradient^2
// weight -= rate * gradient / sqrt(velocity + epsilon)
//
// Epsilon is inside the root, as in Keras 3; PyTorch adds it to the root.
class RmsPropOptimizer : public Optimizer {
public:
  RmsPropOptimizer(const RmsProp &spec, StateCatalog &state)
      : spec_(spec), state_(state) {}

  std::vector<OptimizerSlot>
  addUpdate(poplar::Graph &graph, const Variable &variable,
            const poplar::Tensor &gradient, const poplar::Tensor &stepSize,
            poplar::program::Sequence &prog) override;

private:
  RmsProp spec_;
  StateCatalog &state_;
};

} // namespace popscope::graph
