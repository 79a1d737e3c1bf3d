// Visits all parts of programs, each once however often it is used.
#pragma once

#include "poplar/program/program_node.hpp"

#include <vector>

namespace ipumodel {

// The distinct nodes of the programs, children before parents.
std::vector<const ProgramNode *>
nodesOf(const std::vector<ProgramPtr> &programs);

// The programs, the bodies of all functions and the native operations of all
// compute sets.
std::vector<ProgramPtr> rootsOf(const GraphData &graph,
                                std::vector<ProgramPtr> programs);

} // namespace ipumodel
