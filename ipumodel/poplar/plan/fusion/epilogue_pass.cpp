#include "poplar/plan/fusion/chain.hpp"

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
    next.isAbsorbed = maker.readers == 0
                          ? maker.link->stage->absorb(*next.stage)
                          : maker.link->stage->absorbAfterVertices(*next.stage);
    next.isAfterVertices = next.isAbsorbed && maker.readers != 0;
    if (!facts.explanation.isOn())
      continue;
    if (next.isAbsorbed)
      facts.explanation.fused(FusionPass::epilogue, textOf(*maker.link->node) +
                                                        " also does " +
                                                        textOf(*next.node));
    else
      facts.explanation.notFused(FusionPass::epilogue,
                                 textOf(*maker.link->node) +
                                     " cannot also do " + textOf(*next.node));
  }
  return chain;
}

} // namespace ipumodel
