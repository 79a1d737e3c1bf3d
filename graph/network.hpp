// The stages of a model: its layers, each on the graph of its stage.
#pragma once

#include "graph/stage.hpp"
#include "graph/state_catalog.hpp"
#include "graph/training_graph.hpp"

#include <poplin/Convolution.hpp>

#include <memory>
#include <vector>

namespace popscope::graph {

// The last layer makes logits; its softmax is left to the loss. Variables are
// added to the state. `graphs` has one entry per stage and outlives the
// result, as do `plans` and `taps`.
std::vector<std::unique_ptr<Stage>>
makeStages(const TrainingSpec &spec, const std::vector<poplar::Graph *> &graphs,
           poplin::PlanningCache &plans, StateCatalog &state,
           TapObserver *taps);

} // namespace popscope::graph
