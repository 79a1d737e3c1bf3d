#include "poplar/graph/clone_layout.hpp"

#include "poplar/view/sorted_block.hpp"

#include <algorithm>
#include <cstdlib>

namespace ipumodel {

namespace {

// The elements of the view, each once, in order.
std::vector<Run> uniqueRuns(const View &view) {
  std::vector<Run> runs;
  for (const Block &block : view.blocks())
    SortedBlock(block).forEachRun([&](std::size_t offset, std::size_t count) {
      runs.push_back({block.variable, offset, count});
    });
  std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) {
    return a.variable != b.variable ? a.variable < b.variable
                                    : a.offset < b.offset;
  });
  std::vector<Run> merged;
  for (const Run &run : runs) {
    if (!merged.empty()) {
      Run &last = merged.back();
      const std::size_t lastEnd = last.offset + last.count;
      if (last.variable == run.variable && run.offset <= lastEnd) {
        last.count = std::max(lastEnd, run.offset + run.count) - last.offset;
        continue;
      }
    }
    merged.push_back(run);
  }
  return merged;
}

// Removes the gaps of a block that has all elements in its range that are
// cloned: the loops keep their order, with strides that leave no gaps.
Block pack(const Block &block, VariableId variable, std::size_t begin) {
  Block packed = block;
  packed.variable = variable;
  packed.offset = static_cast<std::ptrdiff_t>(begin);
  std::vector<Loop *> loops;
  for (BlockDim &dim : packed.dims)
    for (Loop &loop : dim.loops)
      if (loop.stride != 0)
        loops.push_back(&loop);
  std::sort(loops.begin(), loops.end(), [](const Loop *a, const Loop *b) {
    return std::abs(a->stride) < std::abs(b->stride);
  });
  std::ptrdiff_t reach = 1;
  for (Loop *loop : loops) {
    const auto count = static_cast<std::ptrdiff_t>(loop->count);
    if (loop->stride < 0)
      packed.offset += (count - 1) * reach;
    loop->stride = loop->stride < 0 ? -reach : reach;
    reach *= count;
  }
  for (BlockDim &dim : packed.dims) {
    Loops joined;
    for (const Loop &loop : dim.loops) {
      if (!joined.empty() &&
          joined.back().stride ==
              static_cast<std::ptrdiff_t>(loop.count) * loop.stride)
        joined.back() = {joined.back().count * loop.count, loop.stride};
      else
        joined.push_back(loop);
    }
    dim.loops = std::move(joined);
  }
  return packed;
}

} // namespace

CloneLayout::CloneLayout(const GraphData &graph, const View &view,
                         RegionOrder order, std::size_t copies)
    : copies_(copies),
      isPacked_(order == RegionOrder::variable && copies == 1) {
  for (const Run &run : uniqueRuns(view)) {
    if (order == RegionOrder::variable) {
      regions_.push_back({run, kNoTile, 0});
      continue;
    }
    graph.variables[run.variable].mapping.forEach(
        run.offset, run.offset + run.count,
        [&](std::size_t begin, std::size_t end, TileId tile) {
          regions_.push_back({{run.variable, begin, end - begin}, tile, 0});
        });
  }
  std::vector<Region *> placed;
  for (Region &region : regions_)
    placed.push_back(&region);
  if (order == RegionOrder::tile)
    std::stable_sort(
        placed.begin(), placed.end(),
        [](const Region *a, const Region *b) { return a->tile < b->tile; });
  for (Region *region : placed) {
    region->begin = numElements_;
    numElements_ += region->source.count * copies;
  }
}

const Region &CloneLayout::find(VariableId variable, std::size_t offset) const {
  const auto after =
      std::upper_bound(regions_.begin(), regions_.end(), offset,
                       [&](std::size_t wanted, const Region &region) {
                         return variable != region.source.variable
                                    ? variable < region.source.variable
                                    : wanted < region.source.offset;
                       });
  return *std::prev(after);
}

View CloneLayout::move(const View &view, VariableId variable,
                       std::size_t copy) const {
  std::vector<Block> blocks;
  for (const Block &block : view.blocks())
    moveBlock(block, variable, copy, blocks);
  return View(view.shape(), std::move(blocks));
}

void CloneLayout::moveBlock(const Block &block, VariableId variable,
                            std::size_t copy, std::vector<Block> &out) const {
  const SortedBlock sorted(block);
  const Region &first = find(block.variable, sorted.begin);
  const Region &last = find(block.variable, sorted.end - 1);
  const auto moved = [&](const Region &region, std::size_t offset) {
    return region.begin + copy * region.source.count +
           (offset - region.source.offset);
  };
  const std::size_t begin = moved(first, sorted.begin);
  if (&first == &last) {
    Block shifted = block;
    shifted.variable = variable;
    shifted.offset += static_cast<std::ptrdiff_t>(begin) -
                      static_cast<std::ptrdiff_t>(sorted.begin);
    out.push_back(std::move(shifted));
    return;
  }
  const bool isAlone =
      isPacked_ && sorted.isAscending() &&
      moved(last, sorted.end - 1) - begin + 1 == sorted.numElements();
  if (isAlone)
    out.push_back(pack(block, variable, begin));
  else
    moveRuns(block, variable, copy, out);
}

void CloneLayout::moveRuns(const Block &block, VariableId variable,
                           std::size_t copy, std::vector<Block> &out) const {
  Block corner = block; // the same block at the origin of its shape
  Shape extents;
  for (BlockDim &dim : corner.dims) {
    dim.begin = 0;
    extents.push_back(dim.extent);
  }
  std::vector<Block> flat;
  std::size_t position = 0;
  View(extents, {corner}).forEachRun([&](Run run) {
    while (run.count > 0) {
      const Region &region = find(run.variable, run.offset);
      const std::size_t inside = run.offset - region.source.offset;
      const std::size_t count =
          std::min(run.count, region.source.count - inside);
      const auto begin = static_cast<std::ptrdiff_t>(
          region.begin + copy * region.source.count + inside);
      Block *last = flat.empty() ? nullptr : &flat.back();
      if (last &&
          last->offset + static_cast<std::ptrdiff_t>(last->dims[0].extent) ==
              begin) {
        last->dims[0].extent += count;
        last->dims[0].loops = Loops{{last->dims[0].extent, 1}};
      } else {
        BlockDim dim{position, count, {}};
        if (count > 1)
          dim.loops.push_back({count, 1});
        flat.push_back({variable, begin, {dim}});
      }
      position += count;
      run.offset += count;
      run.count -= count;
    }
  });
  const View shaped = View({position}, std::move(flat)).reshape(extents);
  for (Block piece : shaped.blocks()) {
    for (std::size_t d = 0; d < piece.dims.size(); ++d)
      piece.dims[d].begin += block.dims[d].begin;
    out.push_back(std::move(piece));
  }
}

} // namespace ipumodel
