// Operations that compute the items of a batch one after the other.
//
// Consecutive ones run as one instruction, a BatchChain: each item passes
// through all of them while it is in cache, and a tensor that only they use is
// never stored as a whole. Sums over the batch are computed per group of items
// and then over the groups in order, so that neither threads nor other stages
// of the chain change a bit of the result.
#pragma once

#include "poplar/plan/native_kernel.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {

// Groups of items that run in parallel. A batch with fewer items is left to the
// kernel, which divides the work differently.
constexpr std::size_t kBatchGroups = 8;

// The vertices that read an item after the stage that makes it.
class ItemReaders {
public:
  // Runs the vertices that read only the first `bytes` of the stage's operand
  // 0, which are complete. Returns how many bytes no vertex will read any more.
  virtual std::size_t advance(std::size_t bytes) = 0;

protected:
  ~ItemReaders() = default;
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
  // True if the stage replaces each element x of its operand by max(x, 0).
  virtual bool isRelu() const { return false; }

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
  // The number of tasks to run after the last item, in any order.
  virtual std::size_t numFinishTasks() const { return 0; }
  virtual void finish(const Replica &, std::size_t /*task*/) const {}
};

// Collects the operands of an operation while its stage is made.
class StageOperands {
public:
  struct Item {
    View view; // batch first
    std::size_t elementSize;
    Access access;
    std::size_t offset; // of item 0, in memory
    std::size_t bytes;  // of one item
  };
  struct Whole {
    View view;
    Access access;
  };

  StageOperands(PlanBuilder &builder, ScratchFrame &frame, bool isFirst)
      : builder(builder), frame(frame), isFirst(isFirst) {}

  // Adds an operand that `run` gets item by item, each in row-major order.
  // Returns false if the elements have another order in memory or the batch is
  // too small; then there can be no stage.
  bool addItems(const View &batchFirst, std::size_t elementSize, Access access);
  // Adds an operand that is read as a whole before the items or written after
  // them. The stage itself loads or stores it.
  void addWhole(const View &view, Access access) {
    wholes.push_back({view, access});
  }
  std::size_t takePerGroup(std::size_t bytes) {
    return frame.take(kBatchGroups * bytes, Buffer::kAlignment);
  }

  PlanBuilder &builder;
  ScratchFrame &frame;
  const bool
      isFirst; // of a chain; some stages are worthwhile only after others
  std::vector<Item> items;
  std::vector<Whole> wholes;
  Step step; // for the profile
};

} // namespace ipumodel
