// Divides a pass over several tensors into blocks.
#pragma once

#include "poplar/plan/memory_plan.hpp"
#include "poplar/view/loop_nests.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ipumodel {

// Few enough that the arrays of all values of a program fit the first-level
// cache, enough that the cost of calling a loop is negligible.
constexpr std::size_t kBlockElements = 1024;

// The elements of one operand within one block; sizes are in bytes.
struct BlockOperand {
  bool inScratch;
  std::ptrdiff_t offset;
  std::ptrdiff_t rowStride;
  std::ptrdiff_t elementStride;
  std::vector<std::ptrdiff_t> outerStrides;
  bool isContiguous; // in every block, all elements are adjacent
};

// Equal blocks of whole rows or of parts of rows; only those at the end of a
// dimension are smaller.
struct BlockNest {
  std::size_t firstBlock; // counted over all nests
  std::size_t numBlocks;
  std::vector<std::size_t> outerCounts;
  std::size_t rows, length;           // of the two innermost dimensions
  std::size_t blockRows, blockLength; // of one block
  std::vector<BlockOperand> operands;
};

// A block of a nest.
struct MapBlock {
  std::size_t rows, length;
  std::size_t count() const { return rows * length; }
};

struct MapTensor {
  View view; // of the memory; kFlat: of the scratch memory
  std::size_t elementSize;
};

// Groups blocks into tasks of about equal size. The division depends on the
// tensors alone.
class MapLayout {
public:
  MapLayout(const std::vector<MapTensor> &operands, const MemoryPlan &memory);

  const std::vector<BlockNest> &nests() const { return nests_; }
  std::size_t numTasks() const { return taskStarts_.size() - 1; }
  std::size_t numElements() const { return numElements_; }
  // True if the operand is in scratch memory.
  bool isInScratch(std::size_t operand) const {
    return !nests_.empty() && nests_[0].operands[operand].inScratch;
  }
  // The largest number of elements of a block.
  std::size_t maxBlock() const {
    return std::min(kBlockElements, numElements_);
  }

  // True if the elements of each operand are contiguous, or all the same one.
  bool isOneRow() const { return isOneRow_; }
  bool isRepeated(std::size_t operand) const { // one element, in the one row
    return nests_[0].operands[operand].elementStride == 0;
  }
  // The elements of a task, if the layout is one row.
  struct Elements {
    std::size_t first, count;
  };
  Elements elementsOf(std::size_t task) const {
    const BlockNest &nest = nests_[0];
    const std::size_t first = taskStarts_[task] * nest.blockLength;
    return {first,
            std::min(nest.length, taskStarts_[task + 1] * nest.blockLength) -
                first};
  }
  // Bytes from an operand's base to an element of the one row.
  std::ptrdiff_t offsetInRow(std::size_t operand, std::size_t element) const {
    const BlockOperand &row = nests_[0].operands[operand];
    return row.offset +
           static_cast<std::ptrdiff_t>(element) * row.elementStride;
  }

  // Calls f(nest, block) for each block of a task; `offsets` then has the
  // operands' first elements.
  template <class F>
  void forBlocks(std::size_t task, std::ptrdiff_t *offsets, F &&f) const;

private:
  void addNest(const LoopNest &loops, const std::vector<MapTensor> &operands,
               const MemoryPlan &memory);
  void cutTasks();
  static MapBlock locate(const BlockNest &nest, std::size_t index,
                         std::ptrdiff_t *offsets);

  std::vector<BlockNest> nests_;
  std::vector<std::size_t> taskStarts_; // first block of each task, and the end
  std::size_t numElements_ = 0;
  bool isOneRow_ = false;
};

template <class F>
void MapLayout::forBlocks(std::size_t task, std::ptrdiff_t *offsets,
                          F &&f) const {
  const std::size_t end = taskStarts_[task + 1];
  std::size_t index = taskStarts_[task];
  auto nest = std::partition_point(
      nests_.begin(), nests_.end(), [&](const BlockNest &candidate) {
        return candidate.firstBlock + candidate.numBlocks <= index;
      });
  for (; index < end; ++index) {
    if (index == nest->firstBlock + nest->numBlocks)
      ++nest;
    const MapBlock block = locate(*nest, index - nest->firstBlock, offsets);
    f(*nest, block);
  }
}

} // namespace ipumodel
