// The codelets of this library.
#pragma once

#include <poplar/Graph.hpp>

namespace popops {

// The operations of this library are native and need no codelets; graphs may
// ask for them any number of times.
void addCodelets(poplar::Graph &graph);

} // namespace popops
