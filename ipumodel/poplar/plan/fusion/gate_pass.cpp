#include "poplar/plan/fusion/chain.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using Item = StageOperands::Item;

bool uses(const ChainLink &link, std::size_t offset) {
  return std::any_of(link.items.begin(), link.items.end(),
                     [&](const Item &item) { return item.offset == offset; });
}

// A gate and the stage that makes what it lets through; null if other
// operations use that, too, or use the tensors of the gate in between.
struct Gate {
  const Item &result, &gated, &by;

  ChainLink *makerIn(Chain &chain, std::size_t own) const {
    const bool isInPlace = gated.offset == result.offset;
    if (!isInPlace && !chain.privates.count(gated.offset))
      return nullptr;
    for (std::size_t i = own + 1; i < chain.links.size() && !isInPlace; ++i)
      if (uses(chain.links[i], gated.offset))
        return nullptr;
    for (std::size_t i = own; i-- > 0;) {
      ChainLink &link = chain.links[i];
      if (link.isAbsorbed)
        continue;
      if (makes(link))
        return isInPlace || !uses(link, result.offset) ? &link : nullptr;
      if (uses(link, gated.offset) || uses(link, result.offset) ||
          changesCondition(link))
        return nullptr;
    }
    return nullptr;
  }

  // The operand of `maker` that decides; 0 if it has none.
  std::size_t conditionIn(const ChainLink &maker) const {
    for (std::size_t i = 1; i < maker.items.size(); ++i)
      if (maker.items[i].offset == by.offset)
        return i;
    return 0;
  }

private:
  bool makes(const ChainLink &link) const {
    return !link.vertices && link.items[0].offset == gated.offset &&
           link.items[0].access == Access::write;
  }
  bool changesCondition(const ChainLink &link) const {
    return std::any_of(
        link.items.begin(), link.items.end(), [&](const Item &item) {
          return item.offset == by.offset && item.access != Access::read;
        });
  }
};

} // namespace

Chain absorbGates(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::gate))
    return chain;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    ChainLink &next = chain.links[i];
    const Epilogue work = next.stage->epilogue();
    if (next.isAbsorbed || work.kind != Epilogue::Kind::gate)
      continue;
    const Gate gate{next.items[0], next.items[work.gated], next.items[work.by]};
    ChainLink *const maker = gate.makerIn(chain, i);
    if (!maker)
      continue;
    const std::size_t condition = gate.conditionIn(*maker);
    next.isAbsorbed = condition != 0 && maker->stage->absorbGate(condition);
    if (next.isAbsorbed) {
      chain.privates.erase(gate.gated.offset);
      maker->items[0] = gate.result;
    }
    if (!facts.explanation.isOn())
      continue;
    if (next.isAbsorbed)
      facts.explanation.fused(FusionPass::gate, textOf(*maker->node) +
                                                    " also does " +
                                                    textOf(*next.node));
    else
      facts.explanation.notFused(FusionPass::gate, textOf(*maker->node) +
                                                       " cannot also do " +
                                                       textOf(*next.node));
  }
  return chain;
}

} // namespace ipumodel
