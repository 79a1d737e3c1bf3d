#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

using Item = StageOperands::Item;

bool isWrite(const Item &item) { return item.access != Access::read; }

// A sum of what an earlier stage makes and another term.
struct Sum {
  const Item &result, &made, &term;

  // The stage that makes one term and can add the other instead; null if other
  // operations use what it makes, or use the tensors of the sum in between.
  ChainLink *makerIn(Chain &chain, std::size_t own,
                     const OperandUses &uses) const {
    const bool isInPlace = made.offset == result.offset;
    if (made.offset == term.offset ||
        (!isInPlace && (!chain.privates.count(made.offset) ||
                        !uses.after(own, made.offset).empty())))
      return nullptr;
    const auto lastOf = [&](std::size_t offset, auto &&counts) {
      const OperandUses::Range all = uses.before(own, offset);
      for (const OperandUse *use = all.end(); use != all.begin();) {
        --use;
        const ChainLink &link = chain.links[use->link];
        if (!link.isAbsorbed && counts(link.items[use->operand]))
          return use;
      }
      return static_cast<const OperandUse *>(nullptr);
    };
    const auto any = [](const Item &) { return true; };
    const OperandUse *const use = lastOf(made.offset, any);
    if (!use || use->operand != 0)
      return nullptr;
    ChainLink &maker = chain.links[use->link];
    const auto isAfterMaker = [&](const OperandUse *other) {
      return other && other->link >= use->link;
    };
    if (maker.vertices || maker.items[0].access != Access::write ||
        maker.items.size() == kMaxItemOperands ||
        isAfterMaker(lastOf(term.offset, isWrite)) ||
        (!isInPlace && isAfterMaker(lastOf(result.offset, any))))
      return nullptr;
    return &maker;
  }
};

} // namespace

Chain absorbSums(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::sum))
    return chain;
  OperandUses uses(chain);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    ChainLink &next = chain.links[i];
    if (next.isAbsorbed || next.stage->epilogue().kind != Epilogue::Kind::sum)
      continue;
    for (const std::size_t made : {1u, 2u}) {
      const Sum sum{next.items[0], next.items[made], next.items[3 - made]};
      ChainLink *const maker = sum.makerIn(chain, i, uses);
      if (!maker || !maker->stage->absorbSum(maker->items.size()))
        continue;
      const auto place = static_cast<std::size_t>(maker - chain.links.data());
      next.isAbsorbed = true;
      if (sum.made.offset != sum.result.offset)
        chain.privates.erase(sum.made.offset);
      maker->items[0] = sum.result;
      maker->items.push_back(sum.term);
      // In between, a program sees the result of the last run.
      for (Chain::Skipped &skipped : chain.skipped)
        if (skipped.position > place && skipped.position <= i)
          skipped.position = place;
      uses = OperandUses(chain);
      if (facts.explanation.isOn())
        facts.explanation.fused(FusionPass::sum, textOf(*maker->node) +
                                                     " also does " +
                                                     textOf(*next.node));
      break;
    }
  }
  return chain;
}

} // namespace ipumodel
