#include "poplar/variable_uses.hpp"

#include "poplar/program_walk.hpp"

#include <algorithm>

namespace ipumodel {

void VariableUses::pin(const View &view) {
  for (const Block &block : view.blocks())
    isPinned_[block.variable] = true;
}

VariableUses::VariableUses(const Image &image)
    : isPinned_(image.graph.variables.size()),
      users_(image.graph.variables.size()) {
  const GraphData &graph = image.graph;
  for (const ProgramPtr &root : image.programs)
    ++places_[root.get()];
  for (const FunctionInfo &function : graph.functions)
    ++places_[function.body.get()];
  const std::vector<const ProgramNode *> nodes =
      nodesOf(rootsOf(graph, image.programs));
  for (const ProgramNode *node : nodes)
    for (const ProgramPtr &child : node->children)
      ++places_[child.get()];
  for (const ProgramNode *node : nodes) {
    for (const TensorPtr &tensor : node->tensors)
      pin(tensor->view);
    if (!node->op)
      continue;
    for (const auto *tensors : {&node->op->outputs, &node->op->inputs})
      for (const TensorPtr &tensor : *tensors) {
        // Operations of compute sets have no place in a program.
        if (!hasOnePlace(*node))
          pin(tensor->view);
        for (const Block &block : tensor->view.blocks()) {
          auto &users = users_[block.variable];
          if (users.empty() || users.back() != node)
            users.push_back(node);
        }
      }
  }
  for (const Edge &edge : graph.edges)
    if (edge.variable == Edge::kView)
      pin(*graph.edgeViews[edge.offset]);
    else if (edge.variable != Edge::kUnconnected)
      isPinned_[edge.variable] = true;
  for (const auto *accesses : {&graph.hostReads, &graph.hostWrites})
    for (const HostAccess &access : *accesses) {
      pin(access.tensor->view);
      if (access.tensor->metadata)
        pin(access.tensor->metadata->view);
    }
  for (const InitialValue &value : graph.initialValues)
    pin(value.tensor->view);
}

bool VariableUses::areOnlyOf(const std::vector<const ProgramNode *> &nodes,
                             const View &view) const {
  for (const Block &block : view.blocks()) {
    if (isPinned_[block.variable])
      return false;
    for (const ProgramNode *user : users_[block.variable])
      if (std::find(nodes.begin(), nodes.end(), user) == nodes.end())
        return false;
  }
  return true;
}

} // namespace ipumodel
