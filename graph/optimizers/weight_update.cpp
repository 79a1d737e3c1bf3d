#include "graph/optimizers/weight_update.hpp"

#include <gcl/Collectives.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace popscope::graph {

namespace {

using poplar::program::Sequence;
using Stages = std::vector<std::unique_ptr<Stage>>;

// Last variable first, the order in which backward completes gradients.
template <typename F> void forEachVariable(const Stages &stages, F &&f) {
  for (auto stage = stages.rbegin(); stage != stages.rend(); ++stage)
    for (auto variable = (*stage)->variables().rbegin();
         variable != (*stage)->variables().rend(); ++variable)
      f(**stage, *variable);
}

void tapGradients(const Stages &stages, TapMoment moment, Sequence &prog) {
  forEachVariable(stages, [&](Stage &stage, const Variable &variable) {
    const GradientAccumulator &gradients = stage.gradients();
    stage.tap(variable.name + "_grad", TensorKind::gradient, moment,
              variable.hostView(gradients.gradient(variable)),
              {Computation::sum, {variable.name + "_grad"}}, prog,
              moment == TapMoment::accumulated &&
                  gradients.isAsComputed(variable));
  });
}

// Treats replicas like further micro-batches: their gradients are summed or
// averaged by the same method.
void addAllReduce(poplar::Graph &graph, AccumulationMethod method,
                  const Stages &stages, Sequence &prog) {
  std::vector<poplar::Tensor> gradients;
  forEachVariable(stages, [&](Stage &stage, const Variable &variable) {
    gradients.push_back(stage.gradients().gradient(variable));
  });
  gcl::allReduceInPlaceCrossReplica(graph, gradients,
                                    method == AccumulationMethod::sum
                                        ? gcl::CollectiveOperator::ADD
                                        : gcl::CollectiveOperator::MEAN,
                                    prog, {"all_reduce"});
}

// No tensor of the program holds an update, so it is computed, if it is tapped,
// as the weight after minus the weight before.
// Appends `update`, which changes the variable, and what the tap needs.
void addTapped(Stage &stage, const Variable &variable, const Sequence &update,
               const Derivation &derivation, TapObserver *taps,
               Sequence &prog) {
  const std::string name = variable.name + "_update";
  if (!taps || !taps->wantsUpdate(name)) {
    prog.add(update);
    return;
  }
  Sequence copy, subtract, tapped;
  const poplar::Tensor before = poputil::duplicate(
      stage.graph(), variable.master, copy, {variable.name + "/before"});
  const poplar::Tensor difference =
      popops::sub(stage.graph(), variable.master, before, subtract, {name});
  stage.tap(name, TensorKind::update, TapMoment::applied,
            variable.hostView(difference), derivation, tapped);
  const auto whenNeeded = [&](const Sequence &body) {
    return taps->whenNeeded(stage.graph(), name, TapMoment::applied, body);
  };
  prog.add(whenNeeded(copy));
  prog.add(update);
  prog.add(whenNeeded(subtract));
  prog.add(tapped);
}

} // namespace

void addWeightUpdate(poplar::Graph &graph, const TrainingSpec &spec,
                     const Stages &stages, StateCatalog &state,
                     TapObserver *taps, Sequence &prog) {
  tapGradients(stages, TapMoment::accumulated, prog);
  if (graph.getReplicationFactor() > 1) {
    addAllReduce(graph, spec.accumulationMethod, stages, prog);
    tapGradients(stages, TapMoment::reduced, prog);
  }

  poplar::Graph &first = stages.front()->graph();
  const poplar::Tensor learningRate =
      first.addVariable(poplar::FLOAT, {}, {kLearningRate});
  first.setTileMapping(learningRate, 0);
  state.addRemembered(kLearningRate, learningRate, spec.optimizer.learningRate);
  const auto optimizer = makeOptimizer(spec.optimizer, state);
  const poplar::Tensor stepSize =
      optimizer->addStepSize(first, learningRate, prog);
  std::vector<poplar::Tensor> stepSizes{stepSize};
  for (unsigned s = 1; s < stages.size(); ++s)
    stepSizes.push_back(spec.pipelined
                            ? poputil::copyToIpu(graph, stepSize, prog, s,
                                                 {stageName(s) + "/step_size"})
                            : stepSize);

  for (std::size_t s = 0; s < stages.size(); ++s)
    for (const Variable &variable : stages[s]->variables()) {
      Stage &stage = *stages[s];
      Sequence update;
      const std::vector<OptimizerSlot> slots = optimizer->addUpdate(
          stage.graph(), variable, stage.gradients().gradient(variable),
          stepSizes[s], update);
      const std::string gradient = variable.name + "_grad";
      Derivation ofWeight{Computation::optimizer, {variable.name, gradient}};
      for (const OptimizerSlot &slot : slots) {
        const std::string name = variable.name + slot.suffix;
        stage.tap(name, TensorKind::optimizerState, TapMoment::applied,
                  variable.hostView(slot.tensor),
                  {Computation::optimizer, {name, gradient}}, update);
        ofWeight.inputs.push_back(name);
      }
      addTapped(stage, variable, update, ofWeight, taps, prog);
      stage.tap(variable.name, TensorKind::weight, TapMoment::applied,
                variable.hostView(variable.master), ofWeight, prog);
    }
}

} // namespace popscope::graph
