// Makes PopScope's vertices known to a graph.
#pragma once

#include <poplar/Graph.hpp>

namespace popscope::graph {

// Loads popscope.gp from the directory named by POPSCOPE_CODELETS or, if that
// is not set, from ../lib/popscope beside the program or library that holds
// this code. Throws std::runtime_error naming the file if it is not there.
void addCodelets(poplar::Graph &graph);

} // namespace popscope::graph
