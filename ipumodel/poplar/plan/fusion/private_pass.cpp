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

bool usesVariable(const View &view, VariableId variable) {
  return std::any_of(
      view.blocks().begin(), view.blocks().end(),
      [&](const Block &block) { return block.variable == variable; });
}

// True if the link neither reads nor writes the variable: its stage need not,
// or another one does its work.
bool leavesAlone(const ChainLink &link, VariableId variable) {
  return std::none_of(
             link.items.begin(), link.items.end(),
             [&](const StageOperands::Item &item) {
               return usesVariable(item.view, variable) && !item.isUnread &&
                      !(link.isAbsorbed && item.access == Access::read);
             }) &&
         std::none_of(link.wholes.begin(), link.wholes.end(),
                      [&](const StageOperands::Whole &whole) {
                        return usesVariable(whole.view, variable);
                      });
}

// The same of an operation in a chain. What an absorbed one reads another stage
// may read instead.
bool leavesAlone(const Chain &chain, const ChainLink &link,
                 VariableId variable) {
  return leavesAlone(link, variable) &&
         (!link.isAbsorbed ||
          std::all_of(chain.links.begin(), chain.links.end(),
                      [&](const ChainLink &other) {
                        return leavesAlone(other, variable);
                      }));
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
  struct Place {
    std::size_t group;
    const ChainLink *link;
  };
  std::unordered_map<const ProgramNode *, Place> places;
  for (std::size_t group = 0; group < groups.size(); ++group)
    if (groups[group].chain)
      for (const ChainLink &link : groups[group].chain->links)
        places.emplace(link.node, Place{group, &link});
  for (std::size_t group = 0; group < groups.size(); ++group) {
    if (!groups[group].chain || groups[group].chain->links.size() < 2)
      continue;
    Chain &chain = *groups[group].chain;
    const ChainVariables variables(chain);
    for (const ChainLink &link : chain.links) {
      const StageOperands::Item &made = link.items[0];
      if (link.isAbsorbed || link.vertices || made.access != Access::write ||
          chain.privates.count(made.offset))
        continue;
      const auto isBystander = [&](const ProgramNode &node) {
        const auto place = places.find(&node);
        return place != places.end() && place->second.group > group &&
               leavesAlone(*groups[place->second.group].chain,
                           *place->second.link,
                           ChainVariables::variableOf(made));
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
