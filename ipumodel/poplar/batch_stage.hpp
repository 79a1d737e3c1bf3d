// Operations that compute the items of a batch one after the other.
//
// Consecutive ones run as one instruction, a BatchChain: each item goes through
// all of them while it is in cache, and a tensor that only they use is never
// stored as a whole. Whatever is summed over the batch is summed per group of
// items, and the groups in order, so that neither threads nor neighbours in a
// chain change a bit.
#pragma once

#include "poplar/native_kernel.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ipumodel {

// Groups of items that run in parallel. Fewer items are left to operations that
// divide the work otherwise.
constexpr std::size_t kBatchGroups = 8;

struct BatchItem {
  std::size_t index;     // in the batch
  std::size_t group;     // less than kBatchGroups
  bool isFirst;          // of its group
  char *const *operands; // of this item, in the order they were added
  const Replica *replica;
};

class BatchStage {
public:
  BatchStage() = default;
  BatchStage(const BatchStage &) = delete;
  BatchStage &operator=(const BatchStage &) = delete;
  virtual ~BatchStage() = default;

  // Offered the stage that follows and changes this one's output in place: true
  // if this one does the work of both from now on, to the same bits. Both are
  // kept and prepared.
  virtual bool absorb(const BatchStage & /*next*/) { return false; }
  // True if the stage replaces each element x of its operand by max(x, 0).
  virtual bool isRelu() const { return false; }

  // True if the stage does nothing but copy its only operand to or from another
  // place. Where stages may as well use that place, the operand is there and
  // the stage is not run.
  virtual bool isCopy() const { return false; }
  // That place of an item; null if the item is not copied as it is.
  virtual char *otherPlace(const Replica &, std::size_t /*index*/) const {
    return nullptr;
  }

  // Before the first item.
  virtual void prepare(const Replica &, ThreadPool &) const {}
  // Items of a group come in order, on one thread.
  virtual void run(const BatchItem &item) const = 0;
  // After the last item: that many tasks in any order.
  virtual std::size_t numFinishTasks() const { return 0; }
  virtual void finish(const Replica &, std::size_t /*task*/) const {}
};

// What a stage needs of its operation, told while it is made.
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

  // An operand that `run` gets item by item, each in row-major order. False if
  // its elements do not lie like that or the batch is too small; then there can
  // be no stage.
  bool addItems(const View &batchFirst, std::size_t elementSize, Access access);
  // An operand that is read as a whole before or written after the items. The
  // stage takes care of it itself.
  void addWhole(const View &view, Access access) {
    wholes.push_back({view, access});
  }
  std::size_t takePerGroup(std::size_t bytes) {
    return frame.take(kBatchGroups * bytes, Buffer::kAlignment);
  }

  PlanBuilder &builder;
  ScratchFrame &frame;
  const bool isFirst; // of a chain; some stages only pay behind others
  std::vector<Item> items;
  std::vector<Whole> wholes;
  Step step; // for the profile
};

// Null if the operation cannot be done item by item.
using StageFactory = std::unique_ptr<BatchStage> (*)(const NativeOp &op,
                                                     const std::string &name,
                                                     StageOperands &operands);

// Call while libraries load. The kernel of that name remains for operations of
// which no stage can be made.
bool registerStage(const char *kernel, StageFactory factory);
StageFactory findStage(const std::string &kernel); // null if there is none

} // namespace ipumodel
