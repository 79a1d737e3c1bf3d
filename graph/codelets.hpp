// Adds PopScope's vertices to a graph.
#pragma once

#include <poplar/Graph.hpp>

namespace popscope::graph {

// Directory of an installed PopScope's codelets; CMake's package defines it for
// programs that use an installed PopScope.
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
