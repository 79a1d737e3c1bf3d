#include "poplar/view/view.hpp"

#include <algorithm>
#include <numeric>

namespace ipumodel {

namespace {

// Adds an inner loop, keeping the nest in its shortest form.
void pushLoop(Loops &loops, Loop loop) {
  if (loop.count == 1)
    return;
  if (!loops.empty() &&
      loops.back().stride ==
          static_cast<std::ptrdiff_t>(loop.count) * loop.stride) {
    loops.back() = {loops.back().count * loop.count, loop.stride};
    return;
  }
  loops.push_back(loop);
}

// Calls emit(position, offset, loops) for the pieces of [begin, end) of a nest
// over `total` elements: at most two per loop and one in the middle.
template <class Emit>
void sliceLoops(const Loop *first, const Loop *last, std::size_t total,
                std::size_t begin, std::size_t end, std::size_t position,
                std::ptrdiff_t offset, Emit &&emit) {
  if (begin == end)
    return;
  if (end - begin == total) {
    Loops whole;
    whole.append(first, last);
    emit(position, offset, std::move(whole));
    return;
  }
  const Loop outer = *first;
  const std::size_t inner = total / outer.count;
  const auto at = [&](std::size_t row) {
    return offset + static_cast<std::ptrdiff_t>(row) * outer.stride;
  };
  std::size_t row = begin / inner;
  const std::size_t lastRow = end / inner;
  const std::size_t head = begin % inner;
  const std::size_t tail = end % inner;
  if (row == lastRow) {
    sliceLoops(first + 1, last, inner, head, tail, position, at(row), emit);
    return;
  }
  if (head) {
    sliceLoops(first + 1, last, inner, head, inner, position, at(row), emit);
    position += inner - head;
    ++row;
  }
  if (lastRow > row) {
    Loops middle;
    pushLoop(middle, {lastRow - row, outer.stride});
    for (const Loop *loop = first + 1; loop != last; ++loop)
      pushLoop(middle, *loop);
    emit(position, at(row), std::move(middle));
    position += (lastRow - row) * inner;
  }
  if (tail)
    sliceLoops(first + 1, last, inner, 0, tail, position, at(lastRow), emit);
}

// Appends to `out` the blocks covering [begin, end) of `block`'s dimension,
// both relative to the block.
void sliceBlock(const Block &block, std::size_t dim, std::size_t begin,
                std::size_t end, std::vector<Block> &out) {
  const BlockDim &source = block.dims[dim];
  sliceLoops(source.loops.begin(), source.loops.end(), source.extent, begin,
             end, 0, block.offset,
             [&](std::size_t position, std::ptrdiff_t offset, Loops loops) {
               Block piece = block;
               piece.offset = offset;
               std::size_t extent = 1;
               for (const Loop &loop : loops)
                 extent *= loop.count;
               piece.dims[dim] = {source.begin + begin + position, extent,
                                  std::move(loops)};
               out.push_back(std::move(piece));
             });
}

// Splits a nest so that its inner part has exactly `inner` elements; false if
// no loop can be split there.
bool splitLoops(const Loops &loops, std::size_t inner, Loops &outerPart,
                Loops &innerPart) {
  std::size_t covered = 1;
  std::size_t i = loops.size();
  while (i > 0 && covered * loops[i - 1].count <= inner)
    covered *= loops[--i].count;
  if (inner % covered != 0)
    return false;
  const std::size_t cut = inner / covered;
  for (std::size_t k = 0; k + 1 < i; ++k)
    pushLoop(outerPart, loops[k]);
  if (i > 0) {
    const Loop loop = loops[i - 1];
    if (loop.count % cut != 0)
      return false;
    pushLoop(outerPart, {loop.count / cut,
                         loop.stride * static_cast<std::ptrdiff_t>(cut)});
    pushLoop(innerPart, {cut, loop.stride});
  }
  for (std::size_t k = i; k < loops.size(); ++k)
    pushLoop(innerPart, loops[k]);
  return true;
}

// Replaces dimensions [first, first + sizes.size()) by one whose size is the
// product of `sizes`. A block with gaps in the merged dimension is cut into
// rows.
void mergeDims(Block block, std::size_t first,
               const std::vector<std::size_t> &sizes, std::vector<Block> &out) {
  std::size_t wide = 0;
  while (wide < sizes.size() && block.dims[first + wide].extent == 1)
    ++wide;
  for (std::size_t d = wide + 1; d < sizes.size(); ++d) {
    if (block.dims[first + d].extent == sizes[d])
      continue;
    const BlockDim whole = block.dims[first + wide];
    const std::ptrdiff_t offset = block.offset;
    for (std::size_t i = 0; i < whole.extent; ++i) {
      block.offset = offset + loopOffset(whole.loops, i);
      block.dims[first + wide] = {whole.begin + i, 1, {}};
      mergeDims(block, first, sizes, out);
    }
    return;
  }
  BlockDim merged{0, 1, {}};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    const BlockDim &dim = block.dims[first + d];
    merged.begin = merged.begin * sizes[d] + dim.begin;
    merged.extent *= dim.extent;
    for (const Loop &loop : dim.loops)
      pushLoop(merged.loops, loop);
  }
  const auto at = block.dims.begin() + static_cast<std::ptrdiff_t>(first);
  block.dims.erase(at + 1, at + static_cast<std::ptrdiff_t>(sizes.size()));
  block.dims[first] = std::move(merged);
  out.push_back(std::move(block));
}

// Replaces dimension `dim` by one of rows and one of `inner` elements.
void splitDim(Block block, std::size_t dim, std::size_t inner,
              std::vector<Block> &out) {
  BlockDim &source = block.dims[dim];
  const std::size_t row = source.begin / inner;
  const std::size_t end = source.begin + source.extent;
  const auto insertBefore = [&](BlockDim outer) {
    block.dims.insert(block.dims.begin() + static_cast<std::ptrdiff_t>(dim),
                      std::move(outer));
    out.push_back(std::move(block));
  };
  if ((end - 1) / inner == row) {
    source.begin -= row * inner;
    insertBefore({row, 1, {}});
    return;
  }
  const bool aligned = source.begin % inner == 0 && source.extent % inner == 0;
  Loops outerPart, innerPart;
  if (aligned && splitLoops(source.loops, inner, outerPart, innerPart)) {
    BlockDim outer{row, source.extent / inner, std::move(outerPart)};
    source = {0, inner, std::move(innerPart)};
    insertBefore(std::move(outer));
    return;
  }
  // Cut at the ends of rows: consecutive whole rows stay together if they can
  // be split from the rest, otherwise each row is separate.
  std::vector<Block> pieces;
  const std::size_t start = source.begin;
  const std::size_t firstWhole = (start + inner - 1) / inner * inner;
  const std::size_t lastWhole = end / inner * inner;
  const auto piece = [&](std::size_t from, std::size_t to) {
    if (from < to)
      sliceBlock(block, dim, from - start, to - start, pieces);
  };
  if (aligned) {
    for (std::size_t from = start; from < end; from += inner)
      piece(from, from + inner);
  } else if (firstWhole >= lastWhole) {
    piece(start, firstWhole);
    piece(firstWhole, end);
  } else {
    piece(start, firstWhole);
    piece(firstWhole, lastWhole);
    piece(lastWhole, end);
  }
  for (Block &part : pieces)
    splitDim(std::move(part), dim, inner, out);
}

// Extends `block` by `next` along `dim` if together they are one block.
bool extendBlock(Block &block, const Block &next, std::size_t dim) {
  if (block.variable != next.variable || block.dims.size() != next.dims.size())
    return false;
  for (std::size_t d = 0; d < block.dims.size(); ++d) {
    const BlockDim &a = block.dims[d], &b = next.dims[d];
    if (d == dim) {
      if (a.begin + a.extent != b.begin || a.loops.size() > 1 ||
          b.loops.size() > 1)
        return false;
    } else if (a.begin != b.begin || a.extent != b.extent ||
               a.loops != b.loops) {
      return false;
    }
  }
  BlockDim &grown = block.dims[dim];
  const BlockDim &added = next.dims[dim];
  const std::ptrdiff_t step = next.offset - block.offset;
  std::ptrdiff_t stride;
  if (!grown.loops.empty())
    stride = grown.loops[0].stride;
  else if (!added.loops.empty())
    stride = added.loops[0].stride;
  else
    stride = step;
  if ((!added.loops.empty() && added.loops[0].stride != stride) ||
      step != static_cast<std::ptrdiff_t>(grown.extent) * stride)
    return false;
  grown.extent += added.extent;
  grown.loops = Loops{{grown.extent, stride}};
  return true;
}

void sortAndJoin(std::vector<Block> &blocks) {
  const auto byBegin = [](const Block &a, const Block &b) {
    return a.dims[0].begin < b.dims[0].begin;
  };
  if (!std::is_sorted(blocks.begin(), blocks.end(), byBegin))
    std::sort(blocks.begin(), blocks.end(), byBegin);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i)
    if (!extendBlock(blocks[kept], blocks[i], 0) && ++kept != i)
      blocks[kept] = std::move(blocks[i]);
  if (!blocks.empty())
    blocks.resize(kept + 1);
}

} // namespace

std::ptrdiff_t loopOffset(const Loops &loops, std::size_t index) {
  std::ptrdiff_t offset = 0;
  for (std::size_t i = loops.size(); i-- > 0;) {
    offset +=
        static_cast<std::ptrdiff_t>(index % loops[i].count) * loops[i].stride;
    index /= loops[i].count;
  }
  return offset;
}

std::size_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1),
                         std::multiplies<>());
}

View::View(VariableId variable, Shape shape) : shape_(std::move(shape)) {
  const std::size_t total = product(shape_);
  if (total == 0)
    return;
  Block block{variable, 0, {}};
  block.dims.reserve(shape_.size());
  std::size_t inner = total;
  for (const std::size_t size : shape_) {
    inner /= size;
    BlockDim dim{0, size, {}};
    pushLoop(dim.loops, {size, static_cast<std::ptrdiff_t>(inner)});
    block.dims.push_back(std::move(dim));
  }
  blocks_.push_back(std::move(block));
}

std::size_t View::numElements() const { return product(shape_); }

View View::slice(std::size_t dim, std::size_t begin, std::size_t end) const {
  View result;
  result.shape_ = shape_;
  result.shape_[dim] = end - begin;
  // The blocks of a vector are in order: visit only those in the range.
  const bool inOrder = shape_.size() == 1;
  auto block = blocks_.begin();
  if (inOrder)
    block = std::partition_point(block, blocks_.end(), [&](const Block &b) {
      return b.dims[0].begin + b.dims[0].extent <= begin;
    });
  for (; block != blocks_.end(); ++block) {
    const BlockDim &source = block->dims[dim];
    if (inOrder && source.begin >= end)
      break;
    const std::size_t from = std::max(begin, source.begin);
    const std::size_t to = std::min(end, source.begin + source.extent);
    if (from >= to)
      continue;
    const std::size_t first = result.blocks_.size();
    sliceBlock(*block, dim, from - source.begin, to - source.begin,
               result.blocks_);
    for (std::size_t i = first; i < result.blocks_.size(); ++i)
      result.blocks_[i].dims[dim].begin -= begin;
  }
  return result;
}

View View::dropDim(std::size_t dim) const {
  View result = *this;
  const auto at = static_cast<std::ptrdiff_t>(dim);
  result.shape_.erase(result.shape_.begin() + at);
  for (Block &block : result.blocks_)
    block.dims.erase(block.dims.begin() + at);
  if (result.shape_.size() == 1)
    sortAndJoin(result.blocks_);
  return result;
}

View View::reshape(const Shape &shape) const {
  View result;
  result.shape_ = shape;
  if (shape == shape_) {
    result.blocks_ = blocks_;
    return result;
  }
  if (blocks_.empty())
    return result;

  // Old and new dimensions form groups of equal products; each group is merged
  // into one dimension and split again, last group first so that the positions
  // of the earlier ones stay valid.
  struct Group {
    std::size_t oldBegin, oldEnd, newBegin, newEnd;
  };
  std::vector<Group> groups;
  std::size_t i = 0, j = 0;
  while (i < shape_.size() || j < shape.size()) {
    Group group{i, i, j, j};
    std::size_t oldSize = i < shape_.size() ? shape_[i++] : 1;
    std::size_t newSize = j < shape.size() ? shape[j++] : 1;
    while (oldSize != newSize) {
      if (oldSize < newSize)
        oldSize *= shape_[i++];
      else
        newSize *= shape[j++];
    }
    group.oldEnd = i;
    group.newEnd = j;
    groups.push_back(group);
  }

  std::vector<Block> blocks = blocks_;
  std::vector<Block> next;
  for (std::size_t g = groups.size(); g-- > 0;) {
    const Group &group = groups[g];
    const std::size_t oldCount = group.oldEnd - group.oldBegin;
    const std::size_t newCount = group.newEnd - group.newBegin;
    const std::size_t at = group.oldBegin;
    if (oldCount == 1 && newCount == 1)
      continue;
    if (oldCount == 0) {
      for (Block &block : blocks)
        block.dims.insert(block.dims.begin() + static_cast<std::ptrdiff_t>(at),
                          newCount, BlockDim{0, 1, {}});
      continue;
    }
    if (oldCount > 1) {
      const std::vector<std::size_t> sizes(
          shape_.begin() + static_cast<std::ptrdiff_t>(group.oldBegin),
          shape_.begin() + static_cast<std::ptrdiff_t>(group.oldEnd));
      next.clear();
      for (Block &block : blocks)
        mergeDims(std::move(block), at, sizes, next);
      blocks.swap(next);
    }
    if (newCount == 0) {
      for (Block &block : blocks)
        block.dims.erase(block.dims.begin() + static_cast<std::ptrdiff_t>(at));
      continue;
    }
    for (std::size_t d = 0; d + 1 < newCount; ++d) {
      std::size_t inner = 1;
      for (std::size_t k = group.newBegin + d + 1; k < group.newEnd; ++k)
        inner *= shape[k];
      next.clear();
      for (Block &block : blocks)
        splitDim(std::move(block), at + d, inner, next);
      blocks.swap(next);
    }
  }
  if (shape.size() == 1)
    sortAndJoin(blocks);
  result.blocks_ = std::move(blocks);
  return result;
}

View View::dimShuffle(const std::vector<unsigned> &permutation) const {
  View result;
  for (const unsigned dim : permutation)
    result.shape_.push_back(shape_[dim]);
  result.blocks_.reserve(blocks_.size());
  for (const Block &block : blocks_) {
    Block shuffled{block.variable, block.offset, {}};
    shuffled.dims.reserve(permutation.size());
    for (const unsigned dim : permutation)
      shuffled.dims.push_back(block.dims[dim]);
    result.blocks_.push_back(std::move(shuffled));
  }
  return result;
}

View View::broadcast(std::size_t times, std::size_t dim) const {
  View result;
  result.shape_ = shape_;
  result.shape_[dim] *= times;
  if (times == 0)
    return result;
  for (const Block &block : blocks_) {
    if (block.dims[dim].extent == shape_[dim]) {
      Block repeated = block;
      BlockDim &target = repeated.dims[dim];
      Loops loops;
      pushLoop(loops, {times, 0});
      for (const Loop &loop : target.loops)
        pushLoop(loops, loop);
      target.extent *= times;
      target.loops = std::move(loops);
      result.blocks_.push_back(std::move(repeated));
      continue;
    }
    for (std::size_t i = 0; i < times; ++i) {
      result.blocks_.push_back(block);
      result.blocks_.back().dims[dim].begin += i * shape_[dim];
    }
  }
  if (result.shape_.size() == 1)
    sortAndJoin(result.blocks_);
  return result;
}

View View::reverse(std::size_t dim) const {
  View result = *this;
  for (Block &block : result.blocks_) {
    BlockDim &target = block.dims[dim];
    target.begin = shape_[dim] - target.begin - target.extent;
    for (Loop &loop : target.loops) {
      block.offset += static_cast<std::ptrdiff_t>(loop.count - 1) * loop.stride;
      loop.stride = -loop.stride;
    }
  }
  std::reverse(result.blocks_.begin(), result.blocks_.end());
  return result;
}

View View::concat(const std::vector<const View *> &parts, std::size_t dim) {
  View result;
  result.shape_ = parts.front()->shape_;
  result.shape_[dim] = 0;
  for (const View *part : parts) {
    for (const Block &block : part->blocks_) {
      Block moved = block;
      moved.dims[dim].begin += result.shape_[dim];
      if (result.blocks_.empty() ||
          !extendBlock(result.blocks_.back(), moved, dim))
        result.blocks_.push_back(std::move(moved));
    }
    result.shape_[dim] += part->shape_[dim];
  }
  return result;
}

} // namespace ipumodel
