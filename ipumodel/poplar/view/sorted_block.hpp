// The elements of a block in the order of their offsets in the variable.
#pragma once

#include "poplar/view/view.hpp"

#include <vector>

namespace ipumodel {

// The loops of all dimensions, made to have positive strides, largest first;
// loops that only repeat elements are dropped.
struct SortedBlock {
  VariableId variable;
  std::size_t begin; // lowest offset
  std::size_t end;   // one past the highest
  std::vector<Loop> loops;

  explicit SortedBlock(const Block &block);

  // True if the stride of each loop exceeds the reach of the smaller ones; then
  // forEachRun is in ascending order and visits every element once.
  bool isAscending() const;
  std::size_t numElements() const;

  // Calls f(offset, count) for consecutive elements.
  template <class F> void forEachRun(F &&f) const { walk(0, begin, f); }

private:
  template <class F>
  void walk(std::size_t depth, std::size_t offset, F &f) const {
    if (depth == loops.size()) {
      f(offset, std::size_t(1));
      return;
    }
    const Loop &loop = loops[depth];
    if (depth + 1 == loops.size() && loop.stride == 1) {
      f(offset, loop.count);
      return;
    }
    for (std::size_t i = 0; i < loop.count; ++i)
      walk(depth + 1, offset + i * static_cast<std::size_t>(loop.stride), f);
  }
};

} // namespace ipumodel
