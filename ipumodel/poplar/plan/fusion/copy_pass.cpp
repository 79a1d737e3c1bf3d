#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/fusion/chain_uses.hpp"

namespace ipumodel {

namespace {

// A stage that copies an operand; not usable if other stages cannot use its
// other place directly: another stage copies it too, or one writes it once it
// is there, or before it is copied from there.
struct Copy {
  const ChainLink *link = nullptr;
  bool isUsable = true;
};

Copy copyOf(const Chain &chain, const OperandUses::Range &uses) {
  Copy copy;
  bool isUsed = false;
  for (const auto &[number, operand] : uses) {
    const ChainLink &link = chain.links[number];
    const bool reads = link.items[operand].access == Access::read;
    if (copy.link && (link.stage->isCopy() || !reads))
      copy.isUsable = false;
    if (link.stage->isCopy()) {
      if (isUsed && !reads)
        copy.isUsable = false;
      copy.link = &link;
    }
    isUsed = true;
  }
  return copy;
}

} // namespace

Chain elideCopies(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::copy))
    return chain;
  const OperandUses uses(chain);
  for (const std::size_t offset : chain.privates) {
    const Copy copy = copyOf(chain, uses.at(offset));
    if (!copy.link)
      continue;
    if (copy.isUsable)
      chain.copies[offset] = copy.link->stage.get();
    if (!facts.explanation.isOn())
      continue;
    if (copy.isUsable)
      facts.explanation.fused(FusionPass::copy, textOf(*copy.link->node) +
                                                    " is used where it is");
    else
      facts.explanation.notFused(FusionPass::copy,
                                 textOf(*copy.link->node) +
                                     ": other operations change the items");
  }
  return chain;
}

} // namespace ipumodel
