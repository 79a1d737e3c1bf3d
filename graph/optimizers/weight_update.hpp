// The end of an update: reduces the gradients over replicas, then runs the
// optimiser.
#pragma once

#include "graph/optimizers/optimizer.hpp"
#include "graph/stage.hpp"
#include "graph/training_graph.hpp"

#include <memory>
#include <vector>

namespace popscope::graph {

// Appends the update of every variable from its accumulated gradient. In a
// pipeline, stage s is on IPU s of `graph`.
void addWeightUpdate(poplar::Graph &graph, const TrainingSpec &spec,
                     const std::vector<std::unique_ptr<Stage>> &stages,
                     StateCatalog &state, TapObserver *taps,
                     poplar::program::Sequence &prog);

} // namespace popscope::graph
