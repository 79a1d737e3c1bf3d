// Makes the operations of popops available to a graph.
#pragma once

#include <poplar/Graph.hpp>

namespace popops {

// The operations are native and need no codelets, so this does nothing; it may
// be called any number of times.
void addCodelets(poplar::Graph &graph);

} // namespace popops
