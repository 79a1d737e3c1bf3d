// Adds PopScope's vertices to a graph.
#pragma once

#include <poplar/Graph.hpp>

#include <string>

namespace popscope::graph {

// Directory of an installed PopScope's codelets. CMake's package defines it for
// programs that use an installed PopScope. pkg-config cannot: shells do not
// remove the quotes of what it prints; so there it is found from this header.
#if defined(POPSCOPE_CODELETS_DIR)
constexpr const char *kInstalledCodelets = POPSCOPE_CODELETS_DIR;
#elif defined(POPSCOPE_IS_INSTALLED)
constexpr const char *kInstalledCodelets = __FILE__;
#else
constexpr const char *kInstalledCodelets = nullptr;
#endif

// popscope.gp in the directory named by the environment variable
// POPSCOPE_CODELETS or, if that is not set, in ../lib/popscope beside the
// program or library that holds this code, or in `installed`, a directory
// or this header in its prefix.
std::string codeletFile(const char *installed = kInstalledCodelets);

// Loads it. Throws std::runtime_error naming the file if it is not there.
void addCodelets(poplar::Graph &graph,
                 const char *installed = kInstalledCodelets);

} // namespace popscope::graph
