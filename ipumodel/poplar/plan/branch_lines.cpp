#include "poplar/plan/branch_lines.hpp"

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

} // namespace

std::vector<BranchLines::Line>
BranchLines::find(const std::vector<ProgramPtr> &programs) const {
  std::vector<Line> lines;
  for (auto at = programs.begin(); at != programs.end();) {
    const Found found = findFrom(at, programs.end());
    if (found.line.begin != found.line.end)
      lines.push_back(found.line);
    at = found.next;
  }
  return lines;
}

BranchLines::Found BranchLines::findFrom(Place begin, Place end) const {
  if (roleOf_(**begin) != Role::operation)
    return {{begin, begin}, begin + 1};
  Place last = begin;
  bool hasBranch = false;
  std::unordered_map<std::uint32_t, Place> writers; // by variable
  auto at = begin;
  for (; at != end; ++at) {
    const Role role = roleOf_(**at);
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
    forEachWritten(graph_, **at,
                   [&](std::uint32_t variable) { writers[variable] = at; });
    if (role == Role::operation && hasBranch)
      last = at + 1;
  }
  return {{begin, last}, last == begin ? at : last};
}

} // namespace ipumodel
