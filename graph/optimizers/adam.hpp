// Adam: running means of gradients and of their squares, corrected for their
// start at zero.
#pragma once

#include "graph/optimizers/optimizer.hpp"

namespace popscope::graph {

// m = m + (gradient - m) * (1 - beta1); v = v + (gradient^2 - v) * (1 - beta2)
// step = rate * sqrt(1 - beta2^t) / (1 - beta1^t)
// weight -= step * m / (sqrt(v) + epsilon)
class AdamOptimizer : public Optimizer {
public:
  AdamOptimizer(const Adam &spec, StateCatalog &state)
      : spec_(spec), state_(state) {}

  poplar::Tensor addStepSize(poplar::Graph &graph,
                             const poplar::Tensor &learningRate,
                             poplar::program::Sequence &prog) override;
  std::vector<OptimizerSlot>
  addUpdate(poplar::Graph &graph, const Variable &variable,
            const poplar::Tensor &gradient, const poplar::Tensor &stepSize,
            poplar::program::Sequence &prog) override;

private:
  Adam spec_;
  StateCatalog &state_;
};

} // namespace popscope::graph
