#include "poplar/plan/fusion/chain_uses.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace ipumodel {

namespace {

using Item = StageOperands::Item;

// The stage that makes what a gate lets through, and vertices in between that
// must see all of it.
struct GatedMaker {
  std::size_t link;
  std::vector<std::size_t> readers; // links, the last one first
};

struct Gate {
  const Item &result, &gated, &by;

  bool isInPlace() const { return gated.offset == result.offset; }

  // Empty if other operations use what the stage makes, too, or use the tensors
  // of the gate in between.
  std::optional<GatedMaker> makerIn(const Chain &chain, std::size_t own,
                                    const OperandUses &uses) const {
    if (!isInPlace() && (!chain.privates.count(gated.offset) ||
                         !uses.after(own, gated.offset).empty()))
      return std::nullopt;
    std::optional<GatedMaker> maker = lastUser(chain, own, uses);
    if (!maker || !makes(chain.links[maker->link]) ||
        !runEarly(chain, *maker) ||
        (!isInPlace() && isUsed(chain, maker->link, own, uses)) ||
        isDecidedAnew(chain, maker->link, own, uses))
      return std::nullopt;
    return maker;
  }

  // The operand of `maker` that decides; 0 if it has none.
  std::size_t conditionIn(const ChainLink &maker) const {
    for (std::size_t i = 1; i < maker.items.size(); ++i)
      if (maker.items[i].offset == by.offset)
        return i;
    return 0;
  }

private:
  // The last link before the gate that uses what it lets through, but for
  // vertices.
  std::optional<GatedMaker> lastUser(const Chain &chain, std::size_t own,
                                     const OperandUses &uses) const {
    GatedMaker maker{};
    const OperandUses::Range all = uses.before(own, gated.offset);
    for (const OperandUse *use = all.end(); use != all.begin();) {
      const ChainLink &link = chain.links[(--use)->link];
      if (link.isAbsorbed)
        continue;
      if (link.vertices && link.items.size() == 1) {
        maker.readers.push_back(use->link);
        continue;
      }
      maker.link = use->link;
      return maker;
    }
    return std::nullopt;
  }
  bool makes(const ChainLink &link) const {
    return !link.vertices && link.items[0].offset == gated.offset &&
           link.items[0].access == Access::write;
  }
  // Whether the vertices can run while the stage does.
  static bool runEarly(const Chain &chain, const GatedMaker &maker) {
    if (maker.readers.empty())
      return true;
    for (std::size_t i = maker.link + 1; i < maker.readers.front(); ++i) {
      const ChainLink &link = chain.links[i];
      if (link.isAfterVertices || !(link.isAbsorbed || link.vertices))
        return false;
    }
    return maker.readers.size() <= kMaxReaders;
  }
  // By the stage, or by what comes between it and the gate.
  bool isUsed(const Chain &chain, std::size_t maker, std::size_t own,
              const OperandUses &uses) const {
    const OperandUses::Range all = uses.before(own, result.offset);
    return std::any_of(all.begin(), all.end(), [&](const OperandUse &use) {
      return use.link >= maker && !chain.links[use.link].isAbsorbed;
    });
  }
  bool isDecidedAnew(const Chain &chain, std::size_t maker, std::size_t own,
                     const OperandUses &uses) const {
    const OperandUses::Range all = uses.before(own, by.offset);
    return by.offset != gated.offset &&
           std::any_of(all.begin(), all.end(), [&](const OperandUse &use) {
             const ChainLink &link = chain.links[use.link];
             return use.link > maker && !link.isAbsorbed &&
                    link.items[use.operand].access != Access::read;
           });
  }
};

// What the maker and the vertices call the gate's result.
void moveToResult(Chain &chain, OperandUses &uses, const Gate &gate,
                  const GatedMaker &maker) {
  chain.privates.erase(gate.gated.offset);
  const std::size_t from = gate.gated.offset;
  const auto move = [&](std::size_t link, Access access) {
    uses.move({link, 0}, from, gate.result.offset);
    Item &item = chain.links[link].items[0];
    item = gate.result;
    item.access = access;
  };
  move(maker.link, Access::write);
  for (const std::size_t reader : maker.readers)
    move(reader, Access::read);
}

// True if from now on the maker does the work of the gate.
bool absorb(ChainLink &maker, bool hasReaders, const ChainLink &next,
            const Gate &gate, bool isRelu) {
  if (isRelu)
    return !hasReaders && maker.stage->absorb(*next.stage);
  const std::size_t condition = gate.conditionIn(maker);
  return condition != 0 &&
         (hasReaders ? maker.stage->absorbGateAfterVertices(condition)
                     : maker.stage->absorbGate(condition));
}

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
    const std::optional<GatedMaker> maker = gate.makerIn(chain, i, uses);
    if (!maker)
      continue;
    ChainLink &link = chain.links[maker->link];
    const bool hasReaders = !maker->readers.empty();
    next.isAbsorbed = absorb(link, hasReaders, next, gate, isRelu);
    next.isAfterVertices = next.isAbsorbed && hasReaders;
    if (next.isAbsorbed && !gate.isInPlace()) {
      moveToResult(chain, uses, gate, *maker);
      // In between, a program sees the result of the last run.
      for (Chain::Skipped &skipped : chain.skipped)
        if (skipped.position > maker->link && skipped.position <= i)
          skipped.position = maker->link;
    }
    if (!facts.explanation.isOn())
      continue;
    if (next.isAbsorbed)
      facts.explanation.fused(FusionPass::gate,
                              textOf(*link.node) + " also does " +
                                  textOf(*next.node) +
                                  (hasReaders ? " after vertices" : ""));
    else
      facts.explanation.notFused(FusionPass::gate, textOf(*link.node) +
                                                       " cannot also do " +
                                                       textOf(*next.node));
  }
  return chain;
}

} // namespace ipumodel
