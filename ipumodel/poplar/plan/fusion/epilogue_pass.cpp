#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

// The stage that makes what `next` changes in place, and how many vertices in
// between must not see that change; null if there is none.
struct Maker {
  ChainLink *link = nullptr;
  std::size_t readers = 0;
};

Maker makerOf(std::vector<ChainLink> &links, std::size_t next) {
  const std::size_t offset = links[next].items[0].offset;
  bool isChanged = false;
  for (const StageOperands::Item &item : links[next].items) {
    if (item.offset != offset)
      return {};
    isChanged = isChanged || item.access != Access::read;
  }
  if (!isChanged)
    return {};
  Maker maker;
  for (std::size_t i = next; i-- > 0;) {
    ChainLink &link = links[i];
    if (link.isAfterVertices)
      return {};
    if (link.isAbsorbed)
      continue;
    if (!link.vertices) {
      if (link.items[0].offset == offset &&
          link.items[0].access != Access::read && maker.readers <= kMaxReaders)
        maker.link = &link;
      return maker;
    }
    const bool reads =
        std::any_of(link.items.begin(), link.items.end(),
                    [&](const auto &item) { return item.offset == offset; });
    if (reads && link.items.size() != 1)
      return {};
    maker.readers += reads;
  }
  return {};
}

// The stage that reads what `changed` changes in place, and as which operand.
struct Reader {
  ChainLink *link = nullptr; // null if others may read it, too
  std::size_t operand = 0;
};

Reader onlyReaderOf(Chain &chain, std::size_t changed,
                    const OperandUses &uses) {
  const std::size_t offset = chain.links[changed].items[0].offset;
  Reader reader;
  if (!chain.privates.count(offset))
    return reader;
  for (const auto &[number, operand] : uses.after(changed, offset)) {
    ChainLink &link = chain.links[number];
    const StageOperands::Item &item = link.items[operand];
    if (item.isUnread)
      continue;
    if (reader.link || link.vertices || link.isAbsorbed ||
        item.access != Access::read)
      return {};
    reader = {&link, operand};
  }
  return reader;
}

void explain(const ChainLink &stage, const ChainLink &other,
             const FusionFacts &facts) {
  if (!facts.explanation.isOn())
    return;
  const std::string first = textOf(*stage.node), second = textOf(*other.node);
  if (other.isAbsorbed)
    facts.explanation.fused(FusionPass::epilogue,
                            first + " also does " + second);
  else
    facts.explanation.notFused(FusionPass::epilogue,
                               first + " cannot also do " + second);
}

} // namespace

Chain absorbEpilogues(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::epilogue))
    return chain;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    ChainLink &next = chain.links[i];
    if (next.vertices)
      continue;
    const Maker maker = makerOf(chain.links, i);
    if (!maker.link)
      continue;
    next.isAfterVertices = maker.readers != 0;
    if (next.isAfterVertices)
      continue;
    next.isAbsorbed = maker.link->stage->absorb(*next.stage);
    explain(*maker.link, next, facts);
  }
  return chain;
}

Chain absorbAfterVertices(Chain chain, const FusionFacts &facts) {
  const OperandUses uses(chain);
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    ChainLink &next = chain.links[i];
    if (!next.isAfterVertices || next.isAbsorbed) // by absorbGates
      continue;
    const Reader reader = onlyReaderOf(chain, i, uses);
    next.isAbsorbed = reader.link && reader.link->stage->absorbBefore(
                                         reader.operand, *next.stage);
    if (next.isAbsorbed) {
      explain(*reader.link, next, facts);
      continue;
    }
    next.isAfterVertices = false; // or makerOf would find none
    ChainLink &maker = *makerOf(chain.links, i).link;
    next.isAfterVertices = next.isAbsorbed =
        maker.stage->absorbAfterVertices(*next.stage);
    explain(maker, next, facts);
  }
  return chain;
}

} // namespace ipumodel
