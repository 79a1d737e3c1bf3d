#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using Item = StageOperands::Item;

// A gate and the stage that makes what it lets through; null if other
// operations use that, too, or use the tensors of the gate in between.
struct Gate {
  const Item &result, &gated, &by;

  ChainLink *makerIn(Chain &chain, std::size_t own,
                     const OperandUses &uses) const {
    const bool isInPlace = gated.offset == result.offset;
    if (!isInPlace && (!chain.privates.count(gated.offset) ||
                       !uses.after(own, gated.offset).empty()))
      return nullptr;
    // The last link before the gate that uses what it makes or lets through, or
    // changes what decides.
    std::size_t last = 0;
    ChainLink *link = nullptr;
    const auto find = [&](std::size_t offset, auto &&counts) {
      const OperandUses::Range all = uses.before(own, offset);
      for (const OperandUse *use = all.end();
           use != all.begin() && (--use)->link >= last;) {
        ChainLink &user = chain.links[use->link];
        if (user.isAbsorbed || !counts(user.items[use->operand]))
          continue;
        last = use->link;
        link = &user;
        return;
      }
    };
    const auto any = [](const Item &) { return true; };
    find(gated.offset, any);
    find(result.offset, any);
    find(by.offset,
         [](const Item &item) { return item.access != Access::read; });
    if (!link || !makes(*link))
      return nullptr;
    return isInPlace || !has(*link, result.offset) ? link : nullptr;
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
  static bool has(const ChainLink &link, std::size_t offset) {
    return std::any_of(link.items.begin(), link.items.end(),
                       [&](const Item &item) { return item.offset == offset; });
  }
};

} // namespace

Chain absorbGates(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::gate))
    return chain;
  OperandUses uses(chain);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    ChainLink &next = chain.links[i];
    const Epilogue work = next.stage->epilogue();
    // A ReLU to another place is a gate that what it lets through opens.
    const bool isRelu = work.kind == Epilogue::Kind::relu &&
                        next.items[0].offset != next.items[1].offset;
    if (next.isAbsorbed || !(isRelu || work.kind == Epilogue::Kind::gate))
      continue;
    const Gate gate{next.items[0], next.items[isRelu ? 1 : work.gated],
                    next.items[isRelu ? 1 : work.by]};
    ChainLink *const maker = gate.makerIn(chain, i, uses);
    if (!maker)
      continue;
    const std::size_t condition = isRelu ? 0 : gate.conditionIn(*maker);
    next.isAbsorbed =
        isRelu ? maker->stage->absorb(*next.stage)
               : condition != 0 && maker->stage->absorbGate(condition);
    const bool isInPlace = gate.gated.offset == gate.result.offset;
    if (next.isAbsorbed && !isInPlace) {
      const auto place = static_cast<std::size_t>(maker - chain.links.data());
      chain.privates.erase(gate.gated.offset);
      uses.move({place, 0}, gate.gated.offset, gate.result.offset);
      maker->items[0] = gate.result;
      // In between, a program sees the result of the last run.
      for (Chain::Skipped &skipped : chain.skipped)
        if (skipped.position > place && skipped.position <= i)
          skipped.position = place;
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
