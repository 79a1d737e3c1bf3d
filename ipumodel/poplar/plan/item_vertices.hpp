// The vertices of a compute set as a stage of a chain: those that read an item
// run right after it was made, while it is in cache.
#pragma once

#include "poplar/plan/batch_stage.hpp"
#include "poplar/plan/compute_set.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace ipumodel {

// The items of a chain's stages, to find those that have given elements.
class ItemIndex {
public:
  // Of a place that is known, the item that was added first is kept.
  void add(const StageOperands::Item &item);
  const std::vector<StageOperands::Item> &items() const { return items_; }
  // The first of the items that contains the bytes from `begin` to before `end`
  // of the memory, which belong to `variable`; empty if none does.
  std::optional<std::size_t> find(VariableId variable, std::size_t begin,
                                  std::size_t end) const;

private:
  struct OfVariable {
    // The number of an item by its offset and bytes.
    std::map<std::array<std::size_t, 2>, std::size_t> numbers;
    std::size_t longest = 0; // bytes of a batch
  };

  std::vector<StageOperands::Item> items_;
  std::unordered_map<VariableId, OfVariable> variables_;
};

class ItemVertices : public BatchStage {
public:
  // The bytes of an item that a vertex reads, of all its operands.
  struct Extent {
    std::size_t begin; // also of the item's vertices after it
    std::size_t end;
  };

  // `chain` has the items of the stages before. Returns null unless all
  // vertices are of one type, each reads elements of exactly one item, in the
  // order of the items, and all that they use can be used in place.
  static std::unique_ptr<ItemVertices> make(const ProgramNode &execute,
                                            const ItemIndex &chain,
                                            StageOperands &operands);

  // Lays out the vertices; call once, before the first run. Returns the step
  // that executes them.
  StepId place(const ProgramNode &execute, PlanBuilder &builder);

  // Whether no vertex reads more than this part of an operand.
  bool readsOnly(std::size_t operand, const ItemPart &part) const;

  void run(const BatchItem &item) const override;
  // Runs vertices of an item, the first of which is `next`, as far as they read
  // only the first `bytes` of the only operand. Returns how many bytes those
  // left over do not read.
  std::size_t runUpTo(std::size_t bytes, const BatchItem &item,
                      std::size_t &next) const;
  std::size_t firstOf(std::size_t item) const {
    return item == 0 ? 0 : ends_[item - 1];
  }

private:
  // In bytes from the beginning of an item.
  using Ranges = std::set<std::array<std::size_t, 2>>;
  struct Operand {
    ChainItems items; // as the vertices are connected to them
    Ranges ranges;    // that they read, [begin, end)
  };

  ItemVertices(std::vector<std::size_t> ends, std::vector<Extent> extents,
               std::vector<Operand> operands)
      : ends_(std::move(ends)), extents_(std::move(extents)),
        operands_(std::move(operands)) {}
  void runRange(const BatchItem &item, std::size_t begin,
                std::size_t end) const;

  std::vector<std::size_t> ends_; // by item: the vertex after its last
  std::vector<Extent> extents_;   // by vertex
  std::vector<Operand> operands_;
  std::vector<ItemPointer> pointers_;
  std::vector<std::size_t> pointerEnds_; // by vertex
  std::shared_ptr<const ComputeSetPlan> vertices_;
};

} // namespace ipumodel
