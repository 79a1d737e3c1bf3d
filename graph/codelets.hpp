// Makes PopScope's vertices known to a graph.
#pragma once

#include <poplar/Graph.hpp>

namespace popscope::graph {

// Where an installed PopScope has them; only programs that use one know.
#ifdef POPSCOPE_CODELETS_DIR
constexpr const char *kInstalledCodelets = POPSCOPE_CODELETS_DIR;
#else
constexpr const char *kInstalledCodelets = nullptr;
#endif

// Loads popscope.gp from the directory named by the environment variable
// POPSCOPE_CODELETS or, if that is not set, from ../lib/popscope beside the
// program or library that holds this code, or from `installed`. Throws
// std::runtime_error naming the file if it is not there.
void addCodelets(poplar::Graph &graph,
                 const char *installed = kInstalledCodelets);

} // namespace popscope::graph
