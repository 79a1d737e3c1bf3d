#include "poplar/plan/variable_accesses.hpp"

#include "poplar/program/program_walk.hpp"
#include "poplar/vertex/vertex_edges.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;

// True if a program that is not a native operation only reads one of its
// tensors.
bool onlyReads(const ProgramNode &node, std::size_t tensor) {
  switch (node.kind) {
  case Kind::copy:
  case Kind::crossReplicaCopy:
    return tensor == 0;
  case Kind::tensorToStream:
  case Kind::tensorToRemote:
  case Kind::printTensor:
  case Kind::repeatWhileTrue:
  case Kind::repeatWhileFalse:
  case Kind::branch:
  case Kind::switchCase:
  case Kind::error:
  case Kind::abort:
    return true;
  default:
    return false;
  }
}

void addOnce(std::vector<const ProgramNode *> &nodes, const ProgramNode &node) {
  if (nodes.empty() || nodes.back() != &node)
    nodes.push_back(&node);
}

} // namespace

void VariableAccesses::pin(const View &view, Effect effect) {
  for (const Block &block : view.blocks()) {
    Uses &uses = uses_[block.variable];
    uses.isPinned = true;
    uses.isWrittenByOthers = uses.isWrittenByOthers || effect == Effect::writes;
  }
}

void VariableAccesses::addOperation(const ProgramNode &node) {
  // Operations of compute sets are not part of a program.
  const bool hasPlace = hasOnePlace(node);
  for (const auto *tensors : {&node.op->outputs, &node.op->inputs}) {
    const bool writes = tensors == &node.op->outputs;
    for (const TensorPtr &tensor : *tensors) {
      if (!hasPlace)
        pin(tensor->view, writes ? Effect::writes : Effect::reads);
      for (const Block &block : tensor->view.blocks()) {
        Uses &uses = uses_[block.variable];
        addOnce(uses.users, node);
        if (writes)
          addOnce(uses.writers, node);
      }
    }
  }
}

void VariableAccesses::addVertices(const GraphData &graph,
                                   std::uint32_t computeSet) {
  const ProgramNode *const execute = executes_[computeSet];
  const bool hasPlace = execute && hasOnePlace(*execute);
  for (const std::uint32_t vertex : graph.computeSets[computeSet].vertices)
    forEachEdge(graph, vertex, [&](const abi::Field &field, const Edge &edge) {
      const Effect effect = field.direction == abi::Direction::input
                                ? Effect::reads
                                : Effect::writes;
      if (edge.variable == Edge::kView)
        return pin(*graph.edgeViews[edge.offset], effect);
      Uses &uses = uses_[edge.variable];
      if (hasPlace && effect == Effect::reads)
        return addOnce(uses.users, *execute);
      uses.isPinned = true;
      uses.isWrittenByOthers =
          uses.isWrittenByOthers || effect == Effect::writes;
    });
}

VariableAccesses::VariableAccesses(const ExecutableData &executable)
    : executes_(executable.graph.computeSets.size()),
      uses_(executable.graph.variables.size()) {
  const GraphData &graph = executable.graph;
  for (const ProgramPtr &root : executable.programs)
    ++places_[root.get()];
  for (const FunctionInfo &function : graph.functions)
    ++places_[function.body.get()];
  const std::vector<const ProgramNode *> nodes =
      nodesOf(rootsOf(graph, executable.programs));
  for (const ProgramNode *node : nodes) {
    for (const ProgramPtr &child : node->children)
      ++places_[child.get()];
    if (node->kind != Kind::execute)
      continue;
    if (const ProgramNode *&first = executes_[node->id]) {
      ++places_[first];
      ++places_[node];
    } else {
      first = node;
    }
  }
  for (const ProgramNode *node : nodes) {
    for (std::size_t i = 0; i < node->tensors.size(); ++i)
      pin(node->tensors[i]->view,
          onlyReads(*node, i) ? Effect::reads : Effect::writes);
    if (node->op)
      addOperation(*node);
  }
  for (std::uint32_t id = 0; id < graph.computeSets.size(); ++id)
    addVertices(graph, id);
  const auto pinAccesses = [&](const auto &accesses, Effect effect) {
    for (const HostAccess &access : accesses) {
      pin(access.tensor->view, effect);
      if (access.tensor->metadata)
        pin(access.tensor->metadata->view, effect);
    }
  };
  pinAccesses(graph.hostReads, Effect::reads);
  pinAccesses(graph.hostWrites, Effect::writes);
  for (const InitialValue &value : graph.initialValues)
    pin(value.tensor->view, Effect::reads);
}

std::optional<std::vector<const ProgramNode *>>
VariableAccesses::writersOf(const View &view) const {
  std::vector<const ProgramNode *> writers;
  for (const Block &block : view.blocks()) {
    const Uses &uses = uses_[block.variable];
    if (uses.isWrittenByOthers)
      return std::nullopt;
    writers.insert(writers.end(), uses.writers.begin(), uses.writers.end());
  }
  return writers;
}

} // namespace ipumodel
