#include "poplar/graph/graph_impl.hpp"
#include "poplar/plan/fusion/chain_clashes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace ipumodel {

namespace {

using Items = StageOperands::Items;
using Kind = ProgramNode::Kind;

// A smaller batch is not worth the groups, if all stages are light.
constexpr std::size_t kMinLightBytes = 64 * 1024;

// Items that a stage which needs many of them, and what is between them, can
// have together in the second-level cache.
constexpr std::size_t kMaxOfMany = 2048;

// Bytes of all items of the largest operand.
std::size_t largestBatch(const std::vector<StageOperands::Item> &items) {
  std::size_t most = 0;
  for (const StageOperands::Item &item : items)
    most = std::max(most, item.view.shape()[0] * item.bytes);
  return most;
}

class ChainFormer {
public:
  ChainFormer(const FusionFacts &facts, PlanBuilder &builder)
      : facts_(facts), builder_(builder) {}

  std::vector<Group> form(Line line) {
    for (Unit &unit : line)
      if (!addUnit(unit))
        groups_.push_back({std::nullopt, std::move(unit)});
    end();
    return std::move(groups_);
  }

private:
  // False if the unit is a group of its own.
  bool addUnit(const Unit &unit) {
    const ProgramNode &program = *unit.program;
    if (unit.isSkipped) {
      if (chain_)
        addSkipped(program);
      return true;
    }
    if (doesNothing(facts_.graph, program))
      return true;
    if (program.kind == Kind::execute && facts_.isPlain(program) && chain_ &&
        facts_.settings.isOn(FusionPass::vertices)) {
      if (addVertices(unit))
        return true;
      explain(FusionPass::vertices, program);
    }
    if (!unit.joined && facts_.isPlainNative(program)) {
      if (chain_ && (add(unit) || runBefore(unit)))
        return true;
      if (chain_)
        explain(FusionPass::chain, program);
      end();
      chain_.emplace(builder_.memory());
      if (add(unit))
        return true;
      explain(FusionPass::chain, program);
      chain_.reset();
    }
    end();
    return false;
  }

  void addSkipped(const ProgramNode &program) {
    if (!facts_.accesses.hasOnePlace(program))
      return; // what it contains also runs elsewhere
    chain_->skipped.push_back({&program, chain_->links.size()});
    for (const ProgramPtr &child : program.children)
      addSkipped(*child);
  }

  bool add(const Unit &unit) {
    const ProgramNode &native = *unit.program;
    StageOperands operands(builder_, chain_->frame, Items::inPlace);
    ChainLink next;
    next.node = &native;
    next.stage = native.op->what->stage(*native.op, native.name, operands);
    next.step = std::move(operands.step);
    next.isLight = operands.isLight;
    next.needsMany = operands.needsMany;
    isAlone_ = next.isLight &&
               (!next.stage || largestBatch(operands.items) < kMinLightBytes);
    if (!next.stage)
      reason_ = operands.reason;
    return next.stage && addLink(unit, std::move(next), operands);
  }

  // Runs a light operation that has no stage, or small tensors, such as the
  // update of a vector, before the chain instead of ending it. False if it
  // depends on the chain, or the chain on what it changes.
  bool runBefore(const Unit &unit) {
    const NativeOp &op = *unit.program->op;
    if (!isAlone_ || builder_.workspaceOf(op) ||
        std::any_of(op.inputs.begin(), op.inputs.end(),
                    [&](const TensorPtr &in) {
                      return isUsed(in->view, Access::read);
                    }) ||
        std::any_of(op.outputs.begin(), op.outputs.end(),
                    [&](const TensorPtr &out) {
                      return isUsed(out->view, Access::write);
                    }))
      return false;
    if (facts_.explanation.isOn())
      facts_.explanation.fused(FusionPass::chain,
                               textOf(*unit.program) + " runs before " +
                                   textOf(*chain_->links.front().node));
    groups_.push_back({std::nullopt, unit});
    return true;
  }

  // True if the chain changes the view's variables, or uses those of a view
  // that is written.
  bool isUsed(const View &view, Access access) const {
    return std::any_of(
        view.blocks().begin(), view.blocks().end(), [&](const Block &block) {
          const auto uses = uses_.find(block.variable);
          return uses != uses_.end() &&
                 (access != Access::read || uses->second.areWritten());
        });
  }

  bool addVertices(const Unit &unit) {
    const ProgramNode &execute = *unit.program;
    StageOperands operands(builder_, chain_->frame, Items::inPlace);
    auto vertices = ItemVertices::make(execute, items_, operands);
    if (!vertices || operands.items.size() > kMaxItemOperands) {
      reason_ = "each must read one item, in the order of the items";
      return false;
    }
    ChainLink next;
    next.node = &execute;
    next.vertices = vertices.get();
    next.stage = std::move(vertices);
    next.isLight = true;
    return addLink(unit, std::move(next), operands);
  }

  bool addLink(const Unit &unit, ChainLink next, StageOperands &operands) {
    next.items = std::move(operands.items);
    next.wholes = std::move(operands.wholes);
    std::vector<ChainLink> &links = chain_->links;
    if (!links.empty() &&
        links[0].items[0].view.shape()[0] != next.items[0].view.shape()[0]) {
      reason_ = "its batch has another size than the chain's";
      return false;
    }
    if (!canBeWith(next)) {
      reason_ = "not all operations of the chain do many items together";
      return false;
    }
    const std::size_t before = firstClash(next);
    if (before != VariableUses::kNone) {
      reason_ = "it needs all items of '" +
                nameOf(facts_.graph, clashOf(links[before], next).value()) +
                "', as does " + textOf(*links[before].node);
      return false;
    }
    for (const StageOperands::Item &item : next.items) {
      items_.add(item);
      uses_[item.view.blocks()[0].variable].add(links.size(), item);
    }
    for (const StageOperands::Whole &whole : next.wholes)
      for (const Block &block : whole.view.blocks())
        uses_[block.variable].addWhole(links.size(), whole);
    needsMany_ = needsMany_ || next.needsMany;
    links.push_back(std::move(next));
    units_.push_back(unit);
    return true;
  }

  // If an operation needs many items together, all must do as many.
  bool canBeWith(const ChainLink &next) const {
    const std::vector<ChainLink> &links = chain_->links;
    const auto doesMany = [&](const ChainLink &link) {
      return link.isLight && !link.vertices &&
             std::all_of(link.items.begin(), link.items.end(),
                         [](const StageOperands::Item &item) {
                           return item.bytes <= kMaxOfMany;
                         }) &&
             link.stage->prepareTogether(2, builder_.memory());
    };
    return (!needsMany_ && !next.needsMany) ||
           (doesMany(next) &&
            (needsMany_ || std::all_of(links.begin(), links.end(), doesMany)));
  }

  std::size_t firstClash(const ChainLink &next) const {
    std::size_t first = VariableUses::kNone;
    for (const StageOperands::Item &item : next.items)
      if (const auto uses = uses_.find(item.view.blocks()[0].variable);
          uses != uses_.end())
        first = std::min(first, uses->second.clashWith(item));
    for (const StageOperands::Whole &whole : next.wholes)
      for (const Block &block : whole.view.blocks())
        if (const auto uses = uses_.find(block.variable); uses != uses_.end())
          first = std::min(first, uses->second.clashWithWhole(whole));
    return first;
  }

  void end() {
    const std::vector<Unit> units = std::move(units_);
    units_.clear();
    items_ = ItemIndex();
    uses_.clear();
    needsMany_ = false;
    if (!chain_)
      return;
    if (!isWorthIt(*chain_)) {
      chain_.reset();
      for (const Unit &unit : units)
        groups_.push_back({std::nullopt, unit});
      return;
    }
    if (facts_.explanation.isOn() && chain_->links.size() > 1)
      explainLinks();
    groups_.push_back({std::move(chain_), {}});
    chain_.reset();
  }

  static bool isWorthIt(const Chain &chain) {
    const std::vector<ChainLink> &links = chain.links;
    if (!std::all_of(links.begin(), links.end(),
                     [](const ChainLink &link) { return link.isLight; }))
      return true;
    std::size_t most = 0;
    for (const ChainLink &link : links)
      most = std::max(most, largestBatch(link.items));
    return links.size() > 1 && most >= kMinLightBytes;
  }

  void explainLinks() const {
    const std::vector<ChainLink> &links = chain_->links;
    std::string all;
    for (const ChainLink &link : links) {
      const std::string text = textOf(*link.node);
      all += (all.empty() ? "" : ", ") + text;
      if (link.vertices)
        facts_.explanation.fused(FusionPass::vertices,
                                 text + " run item by item after " +
                                     textOf(*(&link - 1)->node));
    }
    facts_.explanation.fused(FusionPass::chain, all);
  }

  void explain(FusionPass pass, const ProgramNode &program) {
    if (!facts_.explanation.isOn())
      return;
    const std::string after =
        chain_->links.empty()
            ? std::string()
            : " not after " + textOf(*chain_->links.back().node);
    facts_.explanation.notFused(pass, textOf(program) + after + ": " + reason_);
  }

  const FusionFacts &facts_;
  PlanBuilder &builder_;
  std::vector<Group> groups_;
  std::optional<Chain> chain_; // has links, except in addUnit
  // Of its links:
  std::vector<Unit> units_;
  ItemIndex items_;
  std::unordered_map<VariableId, VariableUses> uses_;
  bool needsMany_ = false;
  std::string reason_;   // why the last operation was not added
  bool isAlone_ = false; // it is light, and no use to a chain
};

} // namespace

std::vector<Group> formChains(Line line, const FusionFacts &facts,
                              PlanBuilder &builder) {
  if (facts.settings.isOn(FusionPass::chain))
    return ChainFormer(facts, builder).form(std::move(line));
  std::vector<Group> groups;
  for (Unit &unit : line)
    if (!unit.isSkipped && !doesNothing(facts.graph, *unit.program))
      groups.push_back({std::nullopt, std::move(unit)});
  return groups;
}

std::optional<Chain> chainOf(const ProgramNode &native, PlanBuilder &builder) {
  std::optional<Chain> chain(std::in_place, builder.memory());
  StageOperands operands(builder, chain->frame, Items::inPlace);
  ChainLink link;
  link.node = &native;
  link.stage = native.op->what->stage(*native.op, native.name, operands);
  if (!link.stage || operands.isLight)
    return std::nullopt;
  link.items = std::move(operands.items);
  link.step = std::move(operands.step);
  chain->links.push_back(std::move(link));
  return chain;
}

} // namespace ipumodel
