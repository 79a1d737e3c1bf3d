// How gradients change the weights.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/optimizers/optimizer_spec.hpp"
#include "graph/state_catalog.hpp"

#include <memory>
#include <string>

namespace popscope::graph {

class Optimizer {
public:
  virtual ~Optimizer() = default;

  // Once per weight update and before it: the factor that all stages step by,
  // from the learning rate. One FLOAT each, on the given graph.
  virtual poplar::Tensor addStepSize(poplar::Graph & /*graph*/,
                                     const poplar::Tensor &learningRate,
                                     poplar::program::Sequence & /*prog*/) {
    return learningRate;
  }

  // Changes the variable's master. The gradient is FLOAT.
  virtual void addUpdate(poplar::Graph &graph, const Variable &variable,
                         const poplar::Tensor &gradient,
                         const poplar::Tensor &stepSize,
                         poplar::program::Sequence &prog) = 0;
};

// What the optimiser remembers is added to the state. Throws
// std::invalid_argument for factors out of range.
std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec &spec,
                                         StateCatalog &state);

// A tensor beside the variable, zero at first, in which an optimiser remembers
// `what`.
poplar::Tensor addSlot(poplar::Graph &graph, const Variable &variable,
                       const std::string &what, StateCatalog &state);

} // namespace popscope::graph
