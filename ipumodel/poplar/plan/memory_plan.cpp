#include "poplar/plan/memory_plan.hpp"

#include "poplar/run/buffer.hpp"
#include "poplar/values/type_info.hpp"
#include "poplar/view/loop_nests.hpp"

#include <algorithm>
#include <numeric>

namespace ipumodel {

namespace {

std::size_t roundUp(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// The largest alignment whose padding is less than an eighth of the variable:
// aligned data make vertices faster, but graphs may have very many small
// variables.
std::size_t alignmentFor(std::size_t bytes, std::size_t elementSize) {
  std::size_t alignment = Buffer::kAlignment;
  while (alignment > elementSize &&
         (roundUp(bytes, alignment) - bytes) * 8 > bytes)
    alignment /= 2;
  return alignment;
}

} // namespace

View flatView(std::size_t byteOffset, std::size_t count,
              std::size_t elementSize) {
  const std::size_t first = byteOffset / elementSize;
  return View(kFlat, {first + count}).slice(0, first, first + count);
}

MemoryPlan::MemoryPlan(const GraphData &graph)
    : offsets_(graph.variables.size()) {
  struct Item {
    VariableId id;
    std::size_t bytes, alignment;
  };
  std::vector<Item> items;
  items.reserve(graph.variables.size());
  for (VariableId id = 0; id < graph.variables.size(); ++id) {
    const Variable &variable = graph.variables[id];
    const std::size_t element = sizeOf(variable.type);
    const std::size_t bytes = variable.numElements * element;
    items.push_back({id, bytes, alignmentFor(bytes, element)});
  }
  // Most aligned first, so that there are no gaps between the groups.
  std::stable_sort(
      items.begin(), items.end(),
      [](const Item &a, const Item &b) { return a.alignment > b.alignment; });
  for (const Item &item : items)
    offsets_[item.id] = reserve(item.bytes, item.alignment);
}

std::size_t MemoryPlan::reserve(std::size_t bytes, std::size_t alignment) {
  const std::size_t offset = roundUp(size_, alignment);
  size_ = offset + bytes;
  return offset;
}

void MemoryPlan::needScratch(std::size_t bytes) {
  scratch_ = std::max(scratch_, bytes);
}

CopyPlan MemoryPlan::lowerCopy(const View &dst, const View &src,
                               std::size_t elementSize) const {
  const auto size = static_cast<std::ptrdiff_t>(elementSize);
  const auto address = [&](const Operand &operand) {
    const std::size_t base =
        operand.variable == kFlat ? 0 : offsetOf(operand.variable);
    return static_cast<std::ptrdiff_t>(base) + operand.offset * size;
  };
  CopyPlan plan;
  std::vector<StridedCopy::Dim> dims;
  for (const LoopNest &block : commonLoopNests({&dst, &src})) {
    const Operand &to = block.operands[0], &from = block.operands[1];
    dims.clear();
    for (std::size_t i = 0; i < block.counts.size(); ++i)
      dims.push_back(
          {block.counts[i], to.strides[i] * size, from.strides[i] * size});
    plan.add(address(to), address(from), elementSize, dims);
  }
  return plan;
}

CopyPlan MemoryPlan::gather(const View &src, std::size_t elementSize) const {
  return lowerCopy(View(kFlat, {src.numElements()}), src, elementSize);
}

CopyPlan MemoryPlan::scatter(const View &dst, std::size_t elementSize) const {
  return lowerCopy(dst, View(kFlat, {dst.numElements()}), elementSize);
}

std::size_t ScratchFrame::take(std::size_t bytes, std::size_t alignment) {
  const std::size_t offset = roundUp(used_, alignment);
  used_ = offset + bytes;
  memory_.needScratch(used_);
  return offset;
}

} // namespace ipumodel
