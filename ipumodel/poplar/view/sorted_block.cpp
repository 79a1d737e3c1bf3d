#include "poplar/view/sorted_block.hpp"

#include <algorithm>
#include <cstdlib>

namespace ipumodel {

SortedBlock::SortedBlock(const Block &block) : variable(block.variable) {
  std::ptrdiff_t lowest = block.offset, highest = block.offset;
  for (const BlockDim &dim : block.dims)
    for (const Loop &loop : dim.loops) {
      const std::ptrdiff_t reach =
          static_cast<std::ptrdiff_t>(loop.count - 1) * loop.stride;
      (reach < 0 ? lowest : highest) += reach;
      if (loop.stride != 0)
        loops.push_back({loop.count, std::abs(loop.stride)});
    }
  begin = static_cast<std::size_t>(lowest);
  end = static_cast<std::size_t>(highest) + 1;
  std::stable_sort(
      loops.begin(), loops.end(),
      [](const Loop &a, const Loop &b) { return a.stride > b.stride; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < loops.size(); ++i) {
    const Loop inner = loops[i];
    Loop &outer = loops[kept];
    if (outer.stride == static_cast<std::ptrdiff_t>(inner.count) * inner.stride)
      outer = {outer.count * inner.count, inner.stride};
    else
      loops[++kept] = inner;
  }
  if (!loops.empty())
    loops.resize(kept + 1);
}

bool SortedBlock::isAscending() const {
  std::ptrdiff_t reach = 0;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (loop->stride <= reach)
      return false;
    reach += static_cast<std::ptrdiff_t>(loop->count - 1) * loop->stride;
  }
  return true;
}

std::size_t SortedBlock::numElements() const {
  std::size_t total = 1;
  for (const Loop &loop : loops)
    total *= loop.count;
  return total;
}

} // namespace ipumodel
