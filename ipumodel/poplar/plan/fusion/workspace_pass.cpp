#include "poplar/plan/fusion/workspace_pass.hpp"

#include "poplar/program/program_walk.hpp"

#include <algorithm>
#include <iterator>

namespace ipumodel {

namespace {

using Kind = ProgramNode::Kind;
using Lines = std::vector<std::vector<ProgramPtr>>;

// True unless the program certainly does not run the other one.
bool mayRun(const ProgramNode &program, const ProgramNode &other) {
  return &program == &other || program.kind == Kind::call ||
         std::any_of(
             program.children.begin(), program.children.end(),
             [&](const ProgramPtr &child) { return mayRun(*child, other); });
}

// True if every writer precedes the maker in this straight-line run and the
// user cannot run in between.
bool makerFollowsWriters(const std::vector<const ProgramNode *> &writers,
                         const ProgramNode &maker, const ProgramNode &user,
                         const std::vector<ProgramPtr> &line) {
  const auto placeOf = [&](const ProgramNode &node) {
    return std::find_if(line.begin(), line.end(), [&](const ProgramPtr &other) {
      return other.get() == &node;
    });
  };
  const auto at = placeOf(maker);
  auto first = at;
  for (const ProgramNode *writer : writers) {
    const auto place = placeOf(*writer);
    if (place >= at)
      return false;
    first = std::min(first, place);
  }
  return at != line.end() &&
         std::none_of(first, at, [&](const ProgramPtr &program) {
           return mayRun(*program, user);
         });
}

// True if wherever one of the tensors is written, the maker runs before the
// user can.
bool isMadeInTime(const ProgramNode &maker, const ProgramNode &user,
                  const Lines &lines, const VariableAccesses &accesses) {
  std::vector<const ProgramNode *> writers;
  for (const auto *tensors : {&maker.op->inputs, &maker.op->outputs})
    for (const TensorPtr &tensor : *tensors) {
      const auto found = accesses.writersOf(tensor->view);
      if (!found)
        return false;
      std::copy_if(found->begin(), found->end(), std::back_inserter(writers),
                   [&](const ProgramNode *node) { return node != &maker; });
    }
  return writers.empty() ||
         std::any_of(lines.begin(), lines.end(), [&](const auto &line) {
           return makerFollowsWriters(writers, maker, user, line);
         });
}

} // namespace

std::vector<Workspace> findWorkspaces(const std::vector<ProgramPtr> &programs,
                                      const FusionFacts &facts) {
  std::vector<Workspace> found;
  if (!facts.settings.isOn(FusionPass::workspace))
    return found;
  std::vector<const ProgramNode *> operations;
  Lines lines;
  for (const ProgramNode *node : nodesOf(rootsOf(facts.graph, programs))) {
    if (node->kind == Kind::sequence)
      lines.push_back(lineOf(*node, facts));
    else if (node->op && facts.accesses.hasOnePlace(*node))
      operations.push_back(node);
  }
  for (const ProgramNode *user : operations) {
    if (!user->op->what->mayHaveWorkspace())
      continue;
    for (const ProgramNode *maker : operations) {
      const std::size_t bytes =
          user->op->what->workspaceFrom(*maker->op, *user->op);
      if (bytes == 0)
        continue;
      const bool isUsed = isMadeInTime(*maker, *user, lines, facts.accesses);
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
  }
  return found;
}

} // namespace ipumodel
