// What happens once per weight update: gradients of all replicas together, then
// the optimiser.
#pragma once

#include "graph/optimizers/optimizer.hpp"
#include "graph/stage.hpp"
#include "graph/training_graph.hpp"

#include <memory>
#include <vector>

namespace popscope::graph {

// Appends the update of every variable of the stages from its accumulated
// gradient. Stage s is on IPU s of `graph` if it is pipelined.
void addWeightUpdate(poplar::Graph &graph, const TrainingSpec &spec,
                     const std::vector<std::unique_ptr<Stage>> &stages,
                     StateCatalog &state, TapObserver *taps,
                     poplar::program::Sequence &prog);

} // namespace popscope::graph
