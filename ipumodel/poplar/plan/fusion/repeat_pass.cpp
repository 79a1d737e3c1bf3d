#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using ItemList = std::vector<StageOperands::Item>;

bool onlyReads(const ChainLink &link) {
  return !link.vertices && !link.isAbsorbed &&
         std::all_of(link.items.begin(), link.items.end(),
                     [](const auto &item) {
                       return item.access == Access::read && !item.isUnread;
                     });
}

bool areSame(const ItemList &a, const ItemList &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto &x, const auto &y) {
                      return x.offset == y.offset && x.bytes == y.bytes;
                    });
}

// True if a link changes what `reader` reads, before it and after `first`.
bool areChangedBetween(const Chain &chain, std::size_t first,
                       std::size_t reader, const OperandUses &uses) {
  const ItemList &items = chain.links[reader].items;
  return std::any_of(items.begin(), items.end(), [&](const auto &item) {
    const OperandUses::Range before = uses.before(reader, item.offset);
    return std::any_of(before.begin(), before.end(), [&](const auto &use) {
      return use.link > first &&
             chain.links[use.link].items[use.operand].access != Access::read;
    });
  });
}

} // namespace

Chain leaveOutRepeats(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::repeat))
    return chain;
  const OperandUses uses(chain);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    ChainLink &link = chain.links[i];
    if (link.items.empty() || !onlyReads(link))
      continue;
    for (const auto &[number, operand] : uses.before(i, link.items[0].offset)) {
      const ChainLink &earlier = chain.links[number];
      if (operand != 0 || !onlyReads(earlier) ||
          !areSame(earlier.items, link.items) ||
          areChangedBetween(chain, number, i, uses) ||
          !link.stage->repeats(*earlier.stage))
        continue;
      link.isAbsorbed = true;
      if (facts.explanation.isOn())
        facts.explanation.fused(FusionPass::repeat,
                                textOf(*link.node) + " uses what " +
                                    textOf(*earlier.node) + " has made");
      break;
    }
  }
  return chain;
}

} // namespace ipumodel
