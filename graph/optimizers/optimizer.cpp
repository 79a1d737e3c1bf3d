#include "graph/optimizers/optimizer.hpp"

#include "graph/optimizers/adam.hpp"
#include "graph/optimizers/rmsprop.hpp"
#include "graph/optimizers/sgd_optimizer.hpp"

#include <stdexcept>

namespace popscope::graph {

namespace {

void checkFactor(const char *name, float value) {
  if (!(value >= 0.0f && value < 1.0f))
    throw std::invalid_argument("[graph] optimizer: " + std::string(name) +
                                " " + std::to_string(value) +
                                " is not in [0, 1)");
}

void checkEpsilon(float value) {
  if (!(value > 0.0f))
    throw std::invalid_argument("[graph] optimizer: epsilon " +
                                std::to_string(value) + " is not positive");
}

struct Maker {
  StateCatalog &state;

  std::unique_ptr<Optimizer> operator()(const Sgd &spec) const {
    checkFactor("momentum", spec.momentum);
    return std::make_unique<SgdOptimizer>(spec, state);
  }
  std::unique_ptr<Optimizer> operator()(const RmsProp &spec) const {
    checkFactor("rho", spec.rho);
    checkEpsilon(spec.epsilon);
    return std::make_unique<RmsPropOptimizer>(spec, state);
  }
  std::unique_ptr<Optimizer> operator()(const Adam &spec) const {
    checkFactor("beta1", spec.beta1);
    checkFactor("beta2", spec.beta2);
    checkEpsilon(spec.epsilon);
    return std::make_unique<AdamOptimizer>(spec, state);
  }
};

} // namespace

std::unique_ptr<Optimizer> makeOptimizer(const OptimizerSpec &spec,
                                         StateCatalog &state) {
  return std::visit(Maker{state}, spec.kind);
}

poplar::Tensor addSlot(poplar::Graph &graph, const Variable &variable,
                       const std::string &what, StateCatalog &state) {
  const std::string name = variable.name + "/" + what;
  const poplar::Tensor slot = graph.clone(variable.master, {name});
  state.addRemembered(name, variable.hostView(slot), 0.0f);
  return slot;
}

} // namespace popscope::graph
