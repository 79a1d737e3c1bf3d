#include "poplar/plan/fusion/branches_pass.hpp"

#include "poplar/vertex/vertex_edges.hpp"

#include <unordered_map>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

// Calls f(variable) for what an operation, vertices or a transfer may write to.
template <class F>
void forEachWritten(const GraphData &graph, const ProgramNode &node, F &&f) {
  const auto each = [&](const View &view) {
    for (const Block &block : view.blocks())
      f(block.variable);
  };
  if (node.op)
    for (const TensorPtr &output : node.op->outputs)
      each(output->view);
  // The target of a transfer, or an exit status.
  if (!node.tensors.empty() && node.kind != Kind::tensorToStream)
    each(node.tensors.back()->view);
  if (node.kind != Kind::execute)
    return;
  const ComputeSetInfo &computeSet = graph.computeSets[node.id];
  for (const ProgramPtr &native : computeSet.natives)
    forEachWritten(graph, *native, f);
  for (const std::uint32_t vertex : computeSet.vertices)
    forEachEdge(graph, vertex, [&](const abi::Field &field, const Edge &edge) {
      if (field.direction == abi::Direction::input)
        return;
      if (edge.variable == Edge::kView)
        each(*graph.edgeViews[edge.offset]);
      else
        f(edge.variable);
    });
}

enum class Role { operation, vertices, transfer, branch, other };

// Only what is plain can be in a line: a branch that is profiled runs even if
// it is not taken.
Role roleOf(const ProgramNode &program, Reach reach, const FusionFacts &facts) {
  if (!facts.isPlain(program))
    return Role::other;
  if (isTransfer(program))
    return reach == Reach::transfers ? Role::transfer : Role::other;
  switch (program.kind) {
  case Kind::native:
    return Role::operation;
  case Kind::execute:
    return Role::vertices;
  case Kind::branch:
    return doesNothing(facts.graph, *program.children[1]) ? Role::branch
                                                          : Role::other;
  default:
    return Role::other;
  }
}

using Place = std::vector<ProgramPtr>::const_iterator;

struct Found {
  BranchLine line; // empty if there is none
  Place next;      // where another may begin
};

Found findFrom(Place begin, Place end, Reach reach, const FusionFacts &facts) {
  if (roleOf(**begin, reach, facts) != Role::operation)
    return {{begin, begin}, begin + 1};
  Place last = begin;
  bool hasBranch = false;
  std::unordered_map<VariableId, Place> writers;
  auto at = begin;
  for (; at != end; ++at) {
    const Role role = roleOf(**at, reach, facts);
    if (role == Role::other)
      break;
    if (role == Role::branch) {
      const auto writer =
          writers.find((*at)->tensors[0]->view.blocks()[0].variable);
      if (writer != writers.end())
        return {{begin, last}, last == begin ? writer->second + 1 : last};
      hasBranch = true;
      continue;
    }
    forEachWritten(facts.graph, **at,
                   [&](VariableId variable) { writers[variable] = at; });
    if (role == Role::operation && hasBranch)
      last = at + 1;
  }
  return {{begin, last}, last == begin ? at : last};
}

} // namespace

bool isTransfer(const ProgramNode &program) {
  return program.kind == Kind::copy || program.kind == Kind::streamToTensor ||
         program.kind == Kind::tensorToStream;
}

std::vector<BranchLine> findBranchLines(const std::vector<ProgramPtr> &programs,
                                        Reach reach, const FusionFacts &facts) {
  std::vector<BranchLine> lines;
  if (!facts.settings.isOn(FusionPass::branches))
    return lines;
  for (auto at = programs.begin(); at != programs.end();) {
    const Found found = findFrom(at, programs.end(), reach, facts);
    if (found.line.begin != found.line.end)
      lines.push_back(found.line);
    at = found.next;
  }
  return lines;
}

} // namespace ipumodel
