#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/fusion/chain.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ipumodel {

namespace {

// What decides whether a chain's tensors can be private.
class ChainVariables {
public:
  explicit ChainVariables(const Chain &chain) {
    for (std::size_t number = 0; number < chain.links.size(); ++number) {
      const ChainLink &link = chain.links[number];
      nodes_.emplace(link.node, kAlways);
      for (const StageOperands::Whole &whole : link.wholes)
        for (const Block &block : whole.view.blocks())
          uses_[block.variable].push_back({number, nullptr});
      for (const StageOperands::Item &item : link.items)
        uses_[variableOf(item)].push_back({number, &item});
    }
    for (const Chain::Skipped &skipped : chain.skipped)
      nodes_.emplace(skipped.node, skipped.position);
  }

  static VariableId variableOf(const StageOperands::Item &item) {
    return item.view.blocks()[0].variable;
  }

  // Empty if the item can be private. `isBystander` is true for nodes that name
  // it and do not use it.
  template <class F>
  std::string whyStored(const StageOperands::Item &item,
                        const VariableAccesses &accesses,
                        F &&isBystander) const {
    bool writes = false;
    std::size_t maker = 0;
    for (const Use &use : uses_.at(variableOf(item))) {
      if (writes && use.link != maker)
        break;
      if (!use.item)
        return "an operation of the chain needs all items";
      if (use.item->isUnread)
        continue;
      if (use.item->access != Access::write)
        return "the chain reads what was there before";
      writes = true;
      maker = use.link;
    }
    const auto isOfChain = [&](const ProgramNode &node) {
      const auto found = nodes_.find(&node);
      return found != nodes_.end() && found->second > maker;
    };
    return writes && accesses.areOnlyOf(item.view,
                                        [&](const ProgramNode &node) {
                                          return isOfChain(node) ||
                                                 isBystander(node);
                                        })
               ? ""
               : "not only the chain uses it";
  }

private:
  static constexpr std::size_t kAlways = ~std::size_t(0);
  struct Use {
    std::size_t link;
    const StageOperands::Item *item; // null if it is used as a whole
  };

  // Of each variable, by the links in their order.
  std::unordered_map<VariableId, std::vector<Use>> uses_;
  // The programs of the chain, and how many links come before them.
  std::unordered_map<const ProgramNode *, std::size_t> nodes_;
};

// The last group in which a chain uses each variable. What an absorbed stage
// would read does not count: another one does its work, and counts.
std::unordered_map<VariableId, std::size_t>
lastUsesOf(const std::vector<Group> &groups) {
  std::unordered_map<VariableId, std::size_t> last;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto use = [&](const View &view) {
      for (const Block &block : view.blocks())
        last[block.variable] = group;
    };
    if (!groups[group].chain)
      continue;
    for (const ChainLink &link : groups[group].chain->links) {
      for (const StageOperands::Item &item : link.items)
        if (!item.isUnread && !(link.isAbsorbed && item.access == Access::read))
          use(item.view);
      for (const StageOperands::Whole &whole : link.wholes)
        use(whole.view);
    }
  }
  return last;
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
  const ChainVariables variables(chain);
  const auto isNobody = [](const ProgramNode &) { return false; };
  std::unordered_set<std::size_t> known;
  for (const ChainLink &link : chain.links)
    for (const StageOperands::Item &item : link.items) {
      if (!known.insert(item.offset).second)
        continue;
      const std::string reason =
          variables.whyStored(item, facts.accesses, isNobody);
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
  std::unordered_map<const ProgramNode *, std::size_t> places;
  for (std::size_t group = 0; group < groups.size(); ++group)
    if (groups[group].chain)
      for (const ChainLink &link : groups[group].chain->links)
        places.emplace(link.node, group);
  const auto lastUses = lastUsesOf(groups);
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].chain || groups[group].chain->links.size() < 2)
      continue;
    Chain &chain = *groups[group].chain;
    const ChainVariables variables(chain);
    for (const ChainLink &link : chain.links) {
      const StageOperands::Item &made = link.items[0];
      if (link.isAbsorbed || link.vertices || made.access != Access::write ||
          chain.privates.count(made.offset) ||
          lastUses.at(ChainVariables::variableOf(made)) > group)
        continue;
      const auto isBystander = [&](const ProgramNode &node) {
        const auto place = places.find(&node);
        return place != places.end() && place->second > group;
      };
      if (!variables.whyStored(made, facts.accesses, isBystander).empty())
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
