// A place of a program at which the host may change a tensor.
#pragma once

#include "codelets/intervention.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popscope::graph {

// Whether its elements can be changed: FLOAT or HALF, each once, no constants.
bool canBeChanged(const poplar::Tensor &tensor);

// UNSIGNED_INT [kInterventionWords], an InterventionWords that does nothing
// until something is written to it.
poplar::Tensor
addInterventionWords(poplar::Graph &graph,
                     const poplar::DebugContext &debugContext = {});

// Appends what the words ask for. While their kind is none, no vertex runs. The
// tensor can be changed.
void addIntervention(poplar::Graph &graph, const poplar::Tensor &tensor,
                     const poplar::Tensor &words,
                     poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
