// Operations that compute the items of a batch one after the other.
//
// Such an operation is one BatchStage, however it is run. Consecutive ones run
// as one instruction, a BatchChain: each item passes through all of them while
// it is in cache, and a tensor that only they use is never stored as a whole.
// One whose tensors must be rearranged or converted, or have few items, runs
// alone on the whole batch (lowerByItems). Sums over the batch are computed per
// group of items and then over the groups in order, so that neither threads nor
// other stages of the chain change a bit of the result.
#pragma once

#include "poplar/plan/float_operand.hpp"
#include "poplar/plan/native_kernel.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ipumodel {

// Groups of items that run in parallel. A batch with fewer items is not part of
// a chain.
constexpr std::size_t kBatchGroups = 8;
constexpr std::size_t kMaxItemOperands = 16;

// The vertices that read an item after the stage that makes it.
class ItemReaders {
public:
  virtual ~ItemReaders() = default;
  // Runs the vertices that read only the first `bytes` of the stage's operand
  // 0, which are complete. Returns how many bytes no vertex will read any more.
  virtual std::size_t advance(std::size_t bytes) = 0;
};

struct BatchItem {
  std::size_t index;     // in the batch
  std::size_t group;     // less than kBatchGroups
  bool isFirst;          // of its group
  char *const *operands; // of this item, in the order they were added
  // Null if there are none. They run after the stage; one that changes what
  // they are to read calls advance() before.
  ItemReaders *readers;
  const Replica *replica;
};

// Work on an item that its maker may do before it stores the item.
struct Epilogue {
  enum class Kind {
    none,    // nothing that others could do
    addBias, // adds `bias` to each row of an item, which has as many elements
    relu,    // replaces each x by max(x, 0)
    sum,     // operand 0 gets the sum of operands 1 and 2
    gate     // operand 0 gets `gated` where `by` is above zero, and else 0
  };
  Kind kind = Kind::none;
  const FloatOperand *bias = nullptr; // loaded by the stage
  std::size_t biasLength = 0;
  std::size_t gated = 0, by = 0; // operands of the stage
};

// A part of an item, which is `lines` lines of `lineBytes`: the first bytes of
// the first lines.
struct ItemPart {
  std::size_t lines, lineBytes;
  std::size_t usedLines, usedBytes;
};

class BatchStage {
public:
  BatchStage() = default;
  BatchStage(const BatchStage &) = delete;
  BatchStage &operator=(const BatchStage &) = delete;
  virtual ~BatchStage() = default;

  // Called with the next stage if it changes this stage's output in place.
  // Returns true if from now on this stage does the work of both, with the same
  // bits. Both are kept and prepared.
  virtual bool absorb(const BatchStage & /*next*/) { return false; }
  // The same if vertices read this stage's output before `next` changes it:
  // then the stage does the work of `next` only on what advance() returned.
  virtual bool absorbAfterVertices(const BatchStage & /*next*/) {
    return false;
  }
  // Called with a stage before this one that changes operand `operand` in
  // place, if nothing else reads it then. Returns true if from now on this
  // stage makes that change to what it reads, with the same bits.
  virtual bool absorbBefore(std::size_t /*operand*/,
                            const BatchStage & /*before*/) {
    return false;
  }
  // Called with an earlier stage that reads the same operands, which nothing
  // changes in between. Returns true if from now on this stage uses what that
  // one makes of each item, with the same bits, and is not run.
  virtual bool repeats(const BatchStage & /*earlier*/) { return false; }
  // Called if its output is only one of two terms of a sum. Returns true if
  // from now on operand 0 is that sum, with the same bits, and the other term
  // is operand `term`, the last one, which may be at the same place.
  virtual bool absorbSum(std::size_t /*term*/) { return false; }
  // Called if its output is all there is to a gate, which opens where operand
  // `by` of this stage is above zero. Returns true if from now on this stage
  // makes the result of that, with the same bits, at the place of its output.
  virtual bool absorbGate(std::size_t /*by*/) { return false; }
  // The same if vertices read this stage's output before the gate: then the
  // stage lets through what is open after advance() returned.
  virtual bool absorbGateAfterVertices(std::size_t /*by*/) { return false; }
  // True if it is as fast to make operand 0 of operand 1 again as to read it.
  virtual bool isCheap() const { return false; }
  // True if the stage could read what `maker`, such a stage, reads instead of
  // its operand `operand`, which that makes, with the same bits. `maker` is not
  // run then, and may be one of another chain.
  virtual bool canRemake(std::size_t /*operand*/,
                         const BatchStage & /*maker*/) const {
    return false;
  }
  // From now on the stage does, as it said it could.
  virtual void remake(std::size_t /*operand*/, const BatchStage & /*maker*/) {}
  // What the stage reads of an operand; empty if that may be all.
  virtual std::optional<ItemPart> partRead(std::size_t /*operand*/) const {
    return std::nullopt;
  }
  // Called if nobody reads more of operand 0 than this part. Returns true if
  // from now on the stage leaves the rest as it is.
  virtual bool makeOnly(const ItemPart & /*part*/) { return false; }
  // What the stage does that the maker of its input could do.
  virtual Epilogue epilogue() const { return {}; }

  // True if the stage only copies its single operand to or from another place.
  // If the other stages can use that place directly, they do and this stage is
  // not run.
  virtual bool isCopy() const { return false; }
  // The other place of an item; null if the item is not copied unchanged.
  virtual char *otherPlace(const Replica &, std::size_t /*index*/) const {
    return nullptr;
  }

  // Called before the first item.
  virtual void prepare(const Replica &, ThreadPool &) const {}
  // Called for the items of a group in order, on one thread.
  virtual void run(const BatchItem &item) const = 0;
  // Called while planning, with the number of items that a chain would give to
  // runTogether. Returns true if the stage then runs so many at once.
  virtual bool prepareTogether(std::size_t /*count*/, const MemoryPlan &) {
    return false;
  }
  // The same as run() for `count` items that follow each other in memory; false
  // if the stage works on one item at a time.
  virtual bool runTogether(const BatchItem & /*first*/,
                           std::size_t /*count*/) const {
    return false;
  }
  // Parts of an item that may run in parallel, if the stage runs alone and
  // needs nothing per group.
  virtual std::size_t numParts() const { return 1; }
  virtual void runPart(const BatchItem &item, std::size_t /*part*/) const {
    run(item);
  }
  // The number of tasks to run after the last item, in any order.
  virtual std::size_t numFinishTasks() const { return 0; }
  virtual void finish(const Replica &, std::size_t /*task*/) const {}
  // Called after the last of these tasks.
  virtual void conclude(const Replica &, ThreadPool &) const {}
};

// Collects the operands of an operation while its stage is made.
class StageOperands {
public:
  enum class Items {
    inPlace, // where they are; there can be no stage if that is not possible
    staged   // where they are if that is possible, else in a copy
  };
  struct Item {
    View view; // batch first
    std::size_t elementSize;
    Access access;
    std::size_t offset; // of item 0, in memory
    std::size_t bytes;  // of one item
    // Named, but not read if the operations before it in its line have run.
    bool isUnread = false;
  };
  struct Staged {
    FloatOperand floats;
    Access access;
    std::size_t perItem; // elements
  };
  struct Whole {
    View view;
    Access access;
    // It is not touched before the last item.
    bool isLate = false;
  };

  StageOperands(PlanBuilder &builder, ScratchFrame &frame, Items items)
      : builder(builder), frame(frame), where(items) {}

  // Adds an operand that `run` gets item by item, each in row-major order.
  // Returns false if the elements have another order in memory or the batch is
  // too small; then there can be no stage.
  bool addItems(const View &batchFirst, std::size_t elementSize, Access access);
  // The same as floats, of a tensor of FLOAT or HALF.
  bool addFloats(const View &batchFirst, poplar::Type type, Access access);
  // The stage does not read the operand that was added last, because it uses
  // the workspace of an earlier operation that read it.
  void markUnread() {
    if (!items.empty())
      items.back().isUnread = true;
  }
  // Adds an operand that is read as a whole before the items or written after
  // them. The stage itself loads or stores it.
  void addWhole(const View &view, Access access) {
    wholes.push_back({view, access});
  }
  // The same for one that is only read or written after them.
  void addLateWhole(const View &view, Access access) {
    wholes.push_back({view, access, true});
  }
  // The same as floats, in row-major order of `arranged`, a view of `view`.
  FloatOperand addWhole(const View &view, const View &arranged,
                        poplar::Type type, Access access) {
    addWhole(view, access);
    return {arranged, type, access, builder, frame};
  }
  // Returns null, for an operation that cannot have a stage.
  StagePtr refuse(std::string why) {
    reason = std::move(why);
    return nullptr;
  }
  std::size_t takePerGroup(std::size_t bytes) {
    needsGroups = true;
    return frame.take(kBatchGroups * bytes, Buffer::kAlignment);
  }

  PlanBuilder &builder;
  ScratchFrame &frame;
  const Items where;
  std::size_t batch = 0;      // items of each operand
  std::vector<Item> items;    // if in place
  std::vector<Staged> staged; // else
  std::vector<Whole> wholes;
  bool needsGroups = false; // the stage keeps something per group
  bool isLight = false;     // the stage is worthwhile only beside others
  bool needsMany = false;   // and only if many items run together
  Step step;                // for the profile
  // Why there is no stage, for people.
  std::string reason = "it is not done item by item";
};

} // namespace ipumodel
