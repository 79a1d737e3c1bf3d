// The seeds of the tiles' random generators: UNSIGNED_INT
// [tiles][workers][4].
#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace poplar {

Tensor getHwSeeds(Graph &graph, program::Sequence &prog,
                  const DebugContext &debugContext = {});
void setHwSeeds(Graph &graph, const Tensor &hwSeeds, program::Sequence &prog,
                const DebugContext &debugContext = {});

} // namespace poplar
