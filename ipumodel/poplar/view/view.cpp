#include "poplar/view/view.hpp"

#include "poplar/view/block_parts.hpp"

#include <algorithm>
#include <numeric>

namespace ipumodel {

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
