#include "poplar/plan/fusion/fusion_facts.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

void append(const ProgramNode &sequence, const FusionFacts &facts,
            std::vector<ProgramPtr> &line) {
  for (const ProgramPtr &child : sequence.children)
    if (isPartOfLine(*child, facts))
      append(*child, facts, line);
    else
      line.push_back(child);
}

} // namespace

bool isPartOfLine(const ProgramNode &child, const FusionFacts &facts) {
  const bool isOnce = child.kind == Kind::sequence ||
                      (child.kind == Kind::repeat && child.count == 1);
  return isOnce && facts.isPlain(child);
}

std::vector<ProgramPtr> lineOf(const ProgramNode &sequence,
                               const FusionFacts &facts) {
  std::vector<ProgramPtr> line;
  append(sequence, facts, line);
  return line;
}

bool doesNothing(const GraphData &graph, const ProgramNode &program) {
  switch (program.kind) {
  case Kind::functionBufferLoad: // code is always resident here
  case Kind::writeUndef:
  case Kind::assumeEqual: // predicates are checked at run time instead
  case Kind::sync:
    return true;
  case Kind::sequence:
  case Kind::block:
    return std::all_of(
        program.children.begin(), program.children.end(),
        [&](const ProgramPtr &child) { return doesNothing(graph, *child); });
  case Kind::call:
    return doesNothing(graph, *graph.functions[program.id].body);
  default:
    return false;
  }
}

} // namespace ipumodel
