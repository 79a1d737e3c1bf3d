#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/fusion/chain.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using Nodes = std::vector<const ProgramNode *>;

// Empty if the tensor can be private. `bystanders` name it and do not use it.
std::string whyStored(const Chain &chain, const View &view,
                      const VariableAccesses &accesses,
                      const Nodes &bystanders = {}) {
  std::size_t first = 0; // link after the one that makes it
  bool writes = false;
  for (; first < chain.links.size() && !writes; ++first) {
    for (const StageOperands::Whole &whole : chain.links[first].wholes)
      if (shareVariables(whole.view, view))
        return "an operation of the chain needs all items";
    bool reads = false;
    for (const StageOperands::Item &item : chain.links[first].items)
      if (!item.isUnread && shareVariables(item.view, view))
        (item.access == Access::write ? writes : reads) = true;
    if (reads)
      return "the chain reads what was there before";
  }
  Nodes nodes = bystanders;
  for (const ChainLink &link : chain.links)
    nodes.push_back(link.node);
  for (const Chain::Skipped &skipped : chain.skipped)
    if (skipped.position >= first)
      nodes.push_back(skipped.node);
  return writes && accesses.areOnlyOf(nodes, view)
             ? ""
             : "not only the chain uses it";
}

// The links of a chain that name a tensor and neither read nor write it: their
// stages need not, or others do their work.
Nodes bystandersIn(const Chain &chain, const View &view) {
  Nodes nodes;
  for (const ChainLink &link : chain.links) {
    const auto leavesAlone = [&](const auto &operand) {
      return !shareVariables(operand.view, view);
    };
    const bool isUnread = std::all_of(
        link.items.begin(), link.items.end(), [&](const auto &item) {
          return leavesAlone(item) || item.isUnread ||
                 (link.isAbsorbed && item.access == Access::read);
        });
    if (isUnread &&
        std::all_of(link.wholes.begin(), link.wholes.end(), leavesAlone))
      nodes.push_back(link.node);
  }
  return nodes;
}

std::string tensorOf(const ChainLink &link, const StageOperands::Item &item,
                     const FusionFacts &facts) {
  return '\'' + nameOf(facts.graph, item.view.blocks()[0].variable) + "' of " +
         textOf(*link.node);
}

} // namespace

Chain keepPrivate(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::privateTensor) || chain.links.size() < 2)
    return chain;
  std::set<std::size_t> known;
  for (const ChainLink &link : chain.links)
    for (const StageOperands::Item &item : link.items) {
      if (!known.insert(item.offset).second)
        continue;
      const std::string reason = whyStored(chain, item.view, facts.accesses);
      if (reason.empty())
        chain.privates.insert(item.offset);
      if (!facts.explanation.isOn() || item.access == Access::read)
        continue;
      if (reason.empty())
        facts.explanation.fused(FusionPass::privateTensor,
                                tensorOf(link, item, facts) + " is not stored");
      else
        facts.explanation.notFused(FusionPass::privateTensor,
                                   tensorOf(link, item, facts) + ": " + reason);
    }
  return chain;
}

std::vector<Group> keepUnread(std::vector<Group> groups,
                              const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::privateTensor))
    return groups;
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (!group->chain || group->chain->links.size() < 2)
      continue;
    Chain &chain = *group->chain;
    for (const ChainLink &link : chain.links) {
      const StageOperands::Item &made = link.items[0];
      if (link.isAbsorbed || link.vertices || made.access != Access::write ||
          chain.privates.count(made.offset))
        continue;
      Nodes bystanders;
      for (auto later = group + 1; later != groups.end(); ++later)
        if (later->chain)
          for (const ProgramNode *node : bystandersIn(*later->chain, made.view))
            bystanders.push_back(node);
      if (bystanders.empty() ||
          !whyStored(chain, made.view, facts.accesses, bystanders).empty())
        continue;
      chain.privates.insert(made.offset);
      if (facts.explanation.isOn())
        facts.explanation.fused(FusionPass::privateTensor,
                                tensorOf(link, made, facts) +
                                    " is not stored: nothing reads it later");
    }
  }
  return groups;
}

} // namespace ipumodel
