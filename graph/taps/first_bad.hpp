// What happens only the first time that a tensor is not finite.
#pragma once

#include "graph/taps/device_stats.hpp"

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popscope::graph {

// Which elements make a tensor bad.
enum class BadElements { nan, nanAndInfinities };

// Appends `action`, which runs once: when `stats`, which the program has
// computed by then, first count a bad element. In a replicated graph it runs in
// all replicas if the tensor is bad in one, since control flow has to agree.
void addAtFirstBad(poplar::Graph &graph, const PartialStats &stats,
                   BadElements bad, const poplar::program::Sequence &action,
                   poplar::program::Sequence &prog,
                   const poplar::DebugContext &debugContext = {});

} // namespace popscope::graph
