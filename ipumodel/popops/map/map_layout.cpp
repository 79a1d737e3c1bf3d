#include "popops/map/map_layout.hpp"

#include <algorithm>
#include <cstdlib>

namespace ipumodel {

namespace {

// Enough work to be worth waking a thread.
constexpr std::size_t kTaskElements = 16 * 1024;
// The number of equal tasks is a multiple of this, so that the usual numbers of
// threads get equal shares.
constexpr std::size_t kTaskMultiple = 4;

std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

// The same elements in the memory order of the first operand: elements of a map
// may be computed in any order, and a tensor stored channels last is then one
// long row.
LoopNest inStorageOrder(const LoopNest &nest) {
  std::vector<std::size_t> order(nest.counts.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  const auto farther = [&](std::size_t a, std::size_t b) {
    for (const Operand &operand : nest.operands)
      if (operand.strides[a] != operand.strides[b])
        return std::abs(operand.strides[a]) > std::abs(operand.strides[b]);
    return false;
  };
  std::stable_sort(order.begin(), order.end(), farther);
  LoopNest sorted;
  for (const Operand &operand : nest.operands)
    sorted.operands.push_back({operand.variable, operand.offset, {}});
  for (const std::size_t loop : order) {
    const auto count = static_cast<std::ptrdiff_t>(nest.counts[loop]);
    bool continues = !sorted.counts.empty();
    for (std::size_t i = 0; continues && i < nest.operands.size(); ++i)
      continues = sorted.operands[i].strides.back() ==
                  nest.operands[i].strides[loop] * count;
    if (continues)
      sorted.counts.back() *= nest.counts[loop];
    else
      sorted.counts.push_back(nest.counts[loop]);
    for (std::size_t i = 0; i < nest.operands.size(); ++i) {
      std::vector<std::ptrdiff_t> &strides = sorted.operands[i].strides;
      if (continues)
        strides.back() = nest.operands[i].strides[loop];
      else
        strides.push_back(nest.operands[i].strides[loop]);
    }
  }
  return sorted;
}

} // namespace

MapLayout::MapLayout(const std::vector<MapTensor> &operands,
                     const MemoryPlan &memory) {
  std::vector<const View *> views;
  for (const MapTensor &operand : operands)
    views.push_back(&operand.view);
  for (const LoopNest &nest : commonLoopNests(views))
    addNest(inStorageOrder(nest), operands, memory);
  cutTasks();
  isOneRow_ = nests_.size() == 1 && nests_[0].rows == 1 &&
              nests_[0].outerCounts.empty();
  for (std::size_t i = 0; isOneRow_ && i < operands.size(); ++i)
    isOneRow_ = nests_[0].operands[i].isContiguous || isRepeated(i);
}

void MapLayout::addNest(const LoopNest &loops,
                        const std::vector<MapTensor> &operands,
                        const MemoryPlan &memory) {
  BlockNest nest;
  nest.firstBlock =
      nests_.empty() ? 0 : nests_.back().firstBlock + nests_.back().numBlocks;
  const std::size_t numLoops = loops.counts.size();
  nest.length = numLoops >= 1 ? loops.counts[numLoops - 1] : 1;
  nest.rows = numLoops >= 2 ? loops.counts[numLoops - 2] : 1;
  const std::size_t numOuter = numLoops >= 2 ? numLoops - 2 : 0;
  nest.outerCounts.assign(loops.counts.begin(),
                          loops.counts.begin() +
                              static_cast<std::ptrdiff_t>(numOuter));
  nest.blockLength = std::min(nest.length, kBlockElements);
  nest.blockRows = std::min(
      nest.rows, std::max<std::size_t>(1, kBlockElements / nest.length));
  nest.numBlocks = ceilDiv(nest.rows, nest.blockRows) *
                   ceilDiv(nest.length, nest.blockLength);
  for (const std::size_t count : nest.outerCounts)
    nest.numBlocks *= count;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand &from = loops.operands[i];
    const auto size = static_cast<std::ptrdiff_t>(operands[i].elementSize);
    BlockOperand operand;
    operand.inScratch = from.variable == kFlat;
    operand.offset = from.offset * size;
    if (!operand.inScratch)
      operand.offset +=
          static_cast<std::ptrdiff_t>(memory.offsetOf(from.variable));
    operand.elementStride = numLoops >= 1 ? from.strides.back() * size : size;
    operand.rowStride = numLoops >= 2 ? from.strides[numLoops - 2] * size : 0;
    for (std::size_t d = 0; d < numOuter; ++d)
      operand.outerStrides.push_back(from.strides[d] * size);
    operand.isContiguous =
        (nest.length == 1 || operand.elementStride == size) &&
        (nest.blockRows == 1 ||
         operand.rowStride == static_cast<std::ptrdiff_t>(nest.length) * size);
    nest.operands.push_back(std::move(operand));
  }
  nests_.push_back(std::move(nest));
}

void MapLayout::cutTasks() {
  std::vector<std::size_t> sizes; // of the nests
  for (const BlockNest &nest : nests_) {
    sizes.push_back(nest.rows * nest.length);
    for (const std::size_t count : nest.outerCounts)
      sizes.back() *= count;
    numElements_ += sizes.back();
  }
  std::size_t tasks = ceilDiv(numElements_, kTaskElements);
  if (tasks > 1)
    tasks = ceilDiv(tasks, kTaskMultiple) * kTaskMultiple;
  std::size_t block = 0, elements = 0;
  taskStarts_.push_back(0);
  for (std::size_t n = 0; n < nests_.size(); ++n) {
    const std::size_t numBlocks = nests_[n].numBlocks;
    for (std::size_t i = 0; i < numBlocks; ++i) {
      ++block;
      const std::size_t done = elements + sizes[n] * (i + 1) / numBlocks;
      if (done * tasks >= numElements_ * taskStarts_.size())
        taskStarts_.push_back(block);
    }
    elements += sizes[n];
  }
}

MapBlock MapLayout::locate(const BlockNest &nest, std::size_t index,
                           std::ptrdiff_t *offsets) {
  if (nest.rows == 1 && nest.outerCounts.empty()) {
    const std::size_t column = index * nest.blockLength;
    for (std::size_t i = 0; i < nest.operands.size(); ++i)
      offsets[i] =
          nest.operands[i].offset +
          static_cast<std::ptrdiff_t>(column) * nest.operands[i].elementStride;
    return {1, std::min(nest.blockLength, nest.length - column)};
  }
  const std::size_t perRow = ceilDiv(nest.length, nest.blockLength);
  const std::size_t perColumn = ceilDiv(nest.rows, nest.blockRows);
  const std::size_t column = index % perRow * nest.blockLength;
  const std::size_t row = index / perRow % perColumn * nest.blockRows;
  const std::size_t outer = index / perRow / perColumn;
  for (std::size_t i = 0; i < nest.operands.size(); ++i) {
    const BlockOperand &operand = nest.operands[i];
    std::ptrdiff_t offset =
        operand.offset + static_cast<std::ptrdiff_t>(row) * operand.rowStride +
        static_cast<std::ptrdiff_t>(column) * operand.elementStride;
    std::size_t rest = outer;
    for (std::size_t d = nest.outerCounts.size(); d-- > 0;) {
      offset += static_cast<std::ptrdiff_t>(rest % nest.outerCounts[d]) *
                operand.outerStrides[d];
      rest /= nest.outerCounts[d];
    }
    offsets[i] = offset;
  }
  return {std::min(nest.blockRows, nest.rows - row),
          std::min(nest.blockLength, nest.length - column)};
}

} // namespace ipumodel
