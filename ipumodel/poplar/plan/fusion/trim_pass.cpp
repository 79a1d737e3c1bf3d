#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>
#include <utility>

namespace ipumodel {

namespace {

// The stage that makes a private tensor, and what the others read of it.
struct Made {
  ChainLink *maker = nullptr;
  std::optional<ItemPart> part; // empty if that may be all
};

bool haveSameLines(const ItemPart &a, const ItemPart &b) {
  return a.lines == b.lines && a.lineBytes == b.lineBytes;
}

bool isAll(const ItemPart &part) {
  return part.usedLines == part.lines && part.usedBytes == part.lineBytes;
}

Made madeAt(std::size_t offset, Chain &chain, const OperandUses &uses) {
  Made made;
  std::vector<std::pair<const ItemVertices *, std::size_t>> vertices;
  for (const auto &[number, i] : uses.at(offset)) {
    ChainLink &link = chain.links[number];
    const StageOperands::Item &item = link.items[i];
    // The maker does the work of those it absorbed.
    if (item.isUnread || link.isAbsorbed)
      continue;
    if (link.vertices && item.access == Access::read) {
      vertices.push_back({link.vertices, i});
      continue;
    }
    if (!made.maker && i == 0 && item.access == Access::write &&
        !link.vertices) {
      made.maker = &link;
      continue;
    }
    const std::optional<ItemPart> read =
        item.access == Access::read ? link.stage->partRead(i) : std::nullopt;
    if (!made.maker || !read ||
        (made.part && !haveSameLines(*made.part, *read)))
      return {};
    if (!made.part)
      made.part = read;
    made.part->usedLines = std::max(made.part->usedLines, read->usedLines);
    made.part->usedBytes = std::max(made.part->usedBytes, read->usedBytes);
  }
  const bool readNoMore =
      made.part &&
      std::all_of(vertices.begin(), vertices.end(), [&](const auto &reader) {
        return reader.first->readsOnly(reader.second, *made.part);
      });
  return readNoMore ? made : Made();
}

} // namespace

Chain trim(Chain chain, const FusionFacts &facts) {
  if (!facts.settings.isOn(FusionPass::trim))
    return chain;
  const OperandUses uses(chain);
  for (const std::size_t offset : chain.privates) {
    const Made made = madeAt(offset, chain, uses);
    if (made.part && !isAll(*made.part) &&
        made.maker->stage->makeOnly(*made.part) && facts.explanation.isOn())
      facts.explanation.fused(
          FusionPass::trim, textOf(*made.maker->node) + " makes " +
                                std::to_string(made.part->usedLines) + " of " +
                                std::to_string(made.part->lines) + " lines, " +
                                std::to_string(made.part->usedBytes) + " of " +
                                std::to_string(made.part->lineBytes) +
                                " bytes of each");
  }
  return chain;
}

} // namespace ipumodel
