// How gradients change the weights.
#pragma once

#include "graph/layers/layer.hpp"
#include "graph/optimizers/optimizer_spec.hpp"
#include "graph/state_catalog.hpp"

#include <memory>
#include <string>
#include <vector>

namespace popscope::graph {

// A tensor of a variable's shape that an optimiser remembers.
struct OptimizerSlot {
  std::string suffix; // of its tap point: the variable's name and _m, for one
  poplar::Tensor tensor;
};

class Optimizer {
public:
  virtual ~Optimizer() = default;

  // Appended once for each update, before addUpdate: computes the step size
  // that all variables use from the learning rate. Both are one FLOAT on
  // `graph`.
  virtual poplar::Tensor addStepSize(poplar::Graph & /*graph*/,
                                     const poplar::Tensor &learningRate,
                                     poplar::program::Sequence & /*prog*/) {
    return learningRate;
  }

  // Appends the change of the variable's master. The gradient is FLOAT. Returns
  // what is remembered of this variable.
  virtual std::vector<OptimizerSlot>
  addUpdate(poplar::Graph &graph, const Variable &variable,
            const poplar::Tensor &gradient, const poplar::Tensor &stepSize,
            poplar::program::Sequence &prog) = 0;
};

// The optimiser adds its own tensors to `state`. Throws std::invalid_argument
// for factors out of range.
std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec &spec,
                                         StateCatalog &state);

// Adds a tensor with the variable's shape and layout, zero at first, for an
// optimiser; its name ends in `what`.
poplar::Tensor addSlot(poplar::Graph &graph, const Variable &variable,
                       const std::string &what, StateCatalog &state);

} // namespace popscope::graph
