#include "poplar/plan/fusion/workspace_pass.hpp"

#include "poplar/program/program_walk.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;
using Nodes = std::vector<const ProgramNode *>;

// Where each program runs: in which straight line, and at which place of it.
class RunOrder {
public:
  RunOrder(const Nodes &nodes, const FusionFacts &facts) {
    for (const ProgramNode *node : nodes)
      for (const ProgramPtr &child : node->children)
        parents_[child.get()].push_back(node);
    std::unordered_set<const ProgramNode *> calling; // maybe
    for (const ProgramNode *node : nodes)            // children before parents
      if (node->kind == Kind::call ||
          std::any_of(node->children.begin(), node->children.end(),
                      [&](const ProgramPtr &child) {
                        return calling.count(child.get()) != 0;
                      }))
        calling.insert(node);
    std::unordered_set<const ProgramNode *> parts; // of the line of a parent
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) {
      const ProgramNode &node = **at;
      const bool isPart = parts.count(&node) != 0;
      if (isPart || node.kind == Kind::sequence)
        for (const ProgramPtr &child : node.children)
          if (isPartOfLine(*child, facts))
            parts.insert(child.get());
      if (!isPart && node.kind == Kind::sequence)
        addLine(lineOf(node, facts), calling);
    }
  }

  // True if every writer precedes the maker in its line and the user cannot run
  // in between. Each of them occurs once.
  bool makerFollows(const Nodes &writers, const ProgramNode &maker,
                    const ProgramNode &user) const {
    const auto made = places_.find(&maker);
    if (made == places_.end())
      return false;
    const Place end = made->second[0];
    std::size_t begin = end.at;
    for (const ProgramNode *writer : writers) {
      const auto place = places_.find(writer);
      if (place == places_.end() || place->second[0].line != end.line ||
          place->second[0].at >= end.at)
        return false;
      begin = std::min(begin, place->second[0].at);
    }
    const std::vector<std::size_t> &callsBefore = callsBefore_[end.line];
    return callsBefore[begin] == callsBefore[end.at] &&
           !runsBetween(user, begin, end);
  }

private:
  struct Place {
    std::size_t line, at;
  };

  void addLine(const std::vector<ProgramPtr> &line,
               const std::unordered_set<const ProgramNode *> &calling) {
    std::vector<std::size_t> callsBefore;
    std::size_t calls = 0;
    for (std::size_t at = 0; at < line.size(); ++at) {
      places_[line[at].get()].push_back({callsBefore_.size(), at});
      callsBefore.push_back(calls);
      calls += calling.count(line[at].get());
    }
    callsBefore_.push_back(std::move(callsBefore));
  }

  // True if one of the programs from `begin` to before `end` in its line is the
  // node or contains it.
  bool runsBetween(const ProgramNode &node, std::size_t begin,
                   const Place &end) const {
    Nodes around{&node};
    std::unordered_set<const ProgramNode *> known{&node};
    for (std::size_t i = 0; i < around.size(); ++i) {
      const auto places = places_.find(around[i]);
      if (places != places_.end())
        for (const Place &place : places->second)
          if (place.line == end.line && place.at >= begin && place.at < end.at)
            return true;
      const auto parents = parents_.find(around[i]);
      if (parents != parents_.end())
        for (const ProgramNode *parent : parents->second)
          if (known.insert(parent).second)
            around.push_back(parent);
    }
    return false;
  }

  std::unordered_map<const ProgramNode *, Nodes> parents_;
  // A program that is used more than once has several places.
  std::unordered_map<const ProgramNode *, std::vector<Place>> places_;
  // Of each line: how many programs before a place may call a function.
  std::vector<std::vector<std::size_t>> callsBefore_;
};

// True if wherever one of the tensors is written, the maker runs before the
// user can.
bool isMadeInTime(const ProgramNode &maker, const ProgramNode &user,
                  const RunOrder &order, const VariableAccesses &accesses) {
  Nodes writers;
  for (const auto *tensors : {&maker.op->inputs, &maker.op->outputs})
    for (const TensorPtr &tensor : *tensors) {
      const auto found = accesses.writersOf(tensor->view);
      if (!found)
        return false;
      std::copy_if(found->begin(), found->end(), std::back_inserter(writers),
                   [&](const ProgramNode *node) { return node != &maker; });
    }
  return writers.empty() || order.makerFollows(writers, maker, user);
}

using Numbers = std::unordered_map<const ProgramNode *, std::size_t>;

// The operations that have a variable in common with `user`, in their order.
Nodes makersFor(const ProgramNode &user, const Numbers &operations,
                const VariableAccesses &accesses) {
  std::unordered_set<VariableId> variables;
  for (const auto *tensors : {&user.op->inputs, &user.op->outputs})
    for (const TensorPtr &tensor : *tensors)
      for (const Block &block : tensor->view.blocks())
        variables.insert(block.variable);
  std::unordered_set<const ProgramNode *> found;
  for (const VariableId variable : variables)
    for (const ProgramNode *node : accesses.usersOf(variable))
      if (operations.count(node))
        found.insert(node);
  Nodes makers(found.begin(), found.end());
  std::sort(makers.begin(), makers.end(),
            [&](const ProgramNode *a, const ProgramNode *b) {
              return operations.at(a) < operations.at(b);
            });
  return makers;
}

} // namespace

std::vector<Workspace> findWorkspaces(const std::vector<ProgramPtr> &programs,
                                      const FusionFacts &facts) {
  std::vector<Workspace> found;
  if (!facts.settings.isOn(FusionPass::workspace))
    return found;
  const Nodes nodes = nodesOf(rootsOf(facts.graph, programs));
  Nodes users;
  Numbers operations;
  for (const ProgramNode *node : nodes)
    if (node->op && facts.accesses.hasOnePlace(*node)) {
      operations.emplace(node, operations.size());
      if (node->op->what->mayHaveWorkspace())
        users.push_back(node);
    }
  if (users.empty())
    return found;
  const RunOrder order(nodes, facts);
  for (const ProgramNode *user : users)
    for (const ProgramNode *maker :
         makersFor(*user, operations, facts.accesses)) {
      const std::size_t bytes =
          user->op->what->workspaceFrom(*maker->op, *user->op);
      if (bytes == 0)
        continue;
      const bool isUsed = isMadeInTime(*maker, *user, order, facts.accesses);
      if (facts.explanation.isOn()) {
        const std::string both = textOf(*maker) + " for " + textOf(*user);
        if (isUsed)
          facts.explanation.fused(FusionPass::workspace,
                                  both + ", " + std::to_string(bytes) +
                                      " bytes");
        else
          facts.explanation.notFused(
              FusionPass::workspace,
              both + ": its tensors may change before it runs again");
      }
      if (!isUsed)
        continue;
      found.push_back({maker, user, bytes});
      break;
    }
  return found;
}

} // namespace ipumodel
