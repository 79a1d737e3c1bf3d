// What fusion passes know of the programs around those they change.
#pragma once

#include "poplar/plan/block_profiling.hpp"
#include "poplar/plan/fusion/explanation.hpp"
#include "poplar/plan/fusion/fusion_settings.hpp"
#include "poplar/plan/variable_accesses.hpp"

#include <vector>

namespace ipumodel {

struct FusionFacts {
  const GraphData &graph;
  const VariableAccesses &accesses;
  const BlockSelector &profiled;
  const FusionSettings settings;
  Explanation &explanation;

  // True if the program may be combined with its neighbours: it occurs in one
  // place only and is not profiled separately.
  bool isPlain(const ProgramNode &program) const {
    return settings.isAnyOn() && accesses.hasOnePlace(program) &&
           !profiled.selects(graph, program);
  }
  bool isPlainNative(const ProgramNode &program) const {
    return program.kind == ProgramNode::Kind::native && isPlain(program);
  }
};

// True if a sequence runs the children of this child of its as if they were its
// own: the child is plain and runs them once.
bool isPartOfLine(const ProgramNode &child, const FusionFacts &facts);

// The programs that a sequence runs one after the other: its children, and in
// place of those that are plain and run theirs once, their children.
std::vector<ProgramPtr> lineOf(const ProgramNode &sequence,
                               const FusionFacts &facts);

// True if nothing happens when the program runs.
bool doesNothing(const GraphData &graph, const ProgramNode &program);

} // namespace ipumodel
