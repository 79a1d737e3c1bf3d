// A tensor's elements: a shape, and strided blocks of variables that fill it.
//
// A block fills a box of the shape. Along each dimension its elements are given
// by a short nest of loops, so that a transposed and then flattened matrix is
// still one block: one dimension, two loops. Every operation costs O(blocks);
// blocks are split only if a box cannot be expressed otherwise.
#pragma once

#include "poplar/base/small_vector.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ipumodel {

using VariableId = std::uint32_t;
using Shape = std::vector<std::size_t>;

// `count` steps of `stride` elements of the variable.
struct Loop {
  std::size_t count;
  std::ptrdiff_t stride;
  friend bool operator==(const Loop &a, const Loop &b) {
    return a.count == b.count && a.stride == b.stride;
  }
};

// Outermost first; no count of one, and no two adjacent loops that could be
// one.
using Loops = SmallVector<Loop, 1>;

struct BlockDim {
  std::size_t begin;  // the block's start in this dimension of the shape
  std::size_t extent; // product of the loop counts
  Loops loops;
};

struct Block {
  VariableId variable;
  std::ptrdiff_t offset; // the variable's element at the block's first corner
  std::vector<BlockDim> dims;
};

// Consecutive elements of one variable.
struct Run {
  VariableId variable;
  std::size_t offset;
  std::size_t count;
};

class View {
public:
  View() = default;
  // A whole variable, with as many elements as `shape`.
  View(VariableId variable, Shape shape);
  View(Shape shape, std::vector<Block> blocks)
      : shape_(std::move(shape)), blocks_(std::move(blocks)) {}

  const Shape &shape() const { return shape_; }
  const std::vector<Block> &blocks() const { return blocks_; }
  std::size_t numElements() const;

  // The caller checks the arguments of all of these.
  View slice(std::size_t dim, std::size_t begin, std::size_t end) const;
  View dropDim(std::size_t dim) const; // of size one
  View reshape(const Shape &shape) const;
  View flatten() const { return reshape({numElements()}); }
  View dimShuffle(const std::vector<unsigned> &permutation) const;
  View broadcast(std::size_t times, std::size_t dim) const;
  View reverse(std::size_t dim) const;
  static View concat(const std::vector<const View *> &parts, std::size_t dim);

  // True if no element occurs twice.
  bool isInjective() const;
  bool overlaps(const View &other) const;

  // Maximal runs in row-major order of the view.
  std::vector<Run> runs() const;
  template <class F> void forEachRun(F &&f) const;

private:
  Shape shape_;
  std::vector<Block> blocks_; // of a vector: in order of position
};

bool operator==(const View &a, const View &b);

// The offset of a loop nest's element at position `index`.
std::ptrdiff_t loopOffset(const Loops &loops, std::size_t index);

std::size_t product(const Shape &shape);

template <class F> void View::forEachRun(F &&f) const {
  const View *flat = this;
  View flattened;
  if (shape_.size() != 1) {
    flattened = flatten();
    flat = &flattened;
  }
  Run pending{0, 0, 0};
  const auto add = [&](VariableId variable, std::ptrdiff_t offset,
                       std::size_t count) {
    const auto begin = static_cast<std::size_t>(offset);
    if (pending.count && pending.variable == variable &&
        pending.offset + pending.count == begin) {
      pending.count += count;
      return;
    }
    if (pending.count)
      f(static_cast<const Run &>(pending));
    pending = {variable, begin, count};
  };
  for (const Block &block : flat->blocks_) {
    const Loops &loops = block.dims[0].loops;
    if (loops.empty()) {
      add(block.variable, block.offset, 1);
      continue;
    }
    const Loop inner = loops.back();
    Loops outer = loops;
    outer.pop_back();
    const std::size_t rows = block.dims[0].extent / inner.count;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::ptrdiff_t start = block.offset + loopOffset(outer, row);
      if (inner.stride == 1) {
        add(block.variable, start, inner.count);
        continue;
      }
      for (std::size_t i = 0; i < inner.count; ++i)
        add(block.variable,
            start + static_cast<std::ptrdiff_t>(i) * inner.stride, 1);
    }
  }
  if (pending.count)
    f(static_cast<const Run &>(pending));
}

} // namespace ipumodel
