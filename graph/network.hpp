// Makes the layers of a model, each on the graph of its pipeline stage.
#pragma once

#include "graph/stage.hpp"
#include "graph/state_catalog.hpp"
#include "graph/training_graph.hpp"

#include <poplin/Convolution.hpp>

#include <memory>
#include <vector>

namespace popscope::graph {

// The last layer outputs logits; its softmax is part of the loss. Adds the
// layers' variables to `state`. `graphs` has one entry for each stage; it must
// outlive the result, as must `plans` and `taps`.
std::vector<std::unique_ptr<Stage>>
makeStages(const TrainingSpec &spec, const std::vector<poplar::Graph *> &graphs,
           poplin::PlanningCache &plans, StateCatalog &state,
           TapObserver *taps);

} // namespace popscope::graph
