// Elements that views have in common. If the blocks do not decide it, runs are
// listed and compared.
#include "poplar/view/view.hpp"

#include <algorithm>
#include <cstdlib>

namespace ipumodel {

namespace {

struct Span {
  VariableId variable;
  std::ptrdiff_t begin, end;
};

// The smallest range of the variable that contains the block.
Span bounds(const Block &block) {
  Span span{block.variable, block.offset, block.offset + 1};
  for (const BlockDim &dim : block.dims)
    for (const Loop &loop : dim.loops) {
      const std::ptrdiff_t reach =
          static_cast<std::ptrdiff_t>(loop.count - 1) * loop.stride;
      (reach < 0 ? span.begin : span.end) += reach;
    }
  return span;
}

// True if each loop's stride exceeds the reach of the smaller ones; a nest for
// which this is false may still be injective.
bool clearlyInjective(const Block &block) {
  std::vector<Loop> loops;
  for (const BlockDim &dim : block.dims)
    for (Loop loop : dim.loops) {
      loop.stride = std::abs(loop.stride);
      loops.push_back(loop);
    }
  std::sort(loops.begin(), loops.end(),
            [](const Loop &a, const Loop &b) { return a.stride < b.stride; });
  std::ptrdiff_t reach = 0;
  for (const Loop &loop : loops) {
    if (loop.stride <= reach)
      return false;
    reach += static_cast<std::ptrdiff_t>(loop.count - 1) * loop.stride;
  }
  return true;
}

// True if a loop does not move, as that of a broadcast.
bool clearlyRepeats(const Block &block) {
  return std::any_of(
      block.dims.begin(), block.dims.end(), [](const BlockDim &dim) {
        return std::any_of(dim.loops.begin(), dim.loops.end(),
                           [](const Loop &loop) { return loop.stride == 0; });
      });
}

bool runLess(const Run &a, const Run &b) {
  return a.variable != b.variable ? a.variable < b.variable
                                  : a.offset < b.offset;
}

// True if two neighbours share elements; `runs` are sorted.
bool anyOverlap(const std::vector<Run> &runs) {
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i - 1].variable == runs[i].variable &&
        runs[i - 1].offset + runs[i - 1].count > runs[i].offset)
      return true;
  return false;
}

bool isSame(const Block &a, const Block &b) {
  return a.variable == b.variable && a.offset == b.offset &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(),
                    [](const BlockDim &x, const BlockDim &y) {
                      return x.begin == y.begin && x.loops == y.loops;
                    });
}

// True if the block contains every element of its bounds.
bool isDense(const Block &block) {
  const Span span = bounds(block);
  std::size_t size = 1;
  for (const BlockDim &dim : block.dims)
    size *= dim.extent;
  return size == static_cast<std::size_t>(span.end - span.begin) &&
         clearlyInjective(block);
}

} // namespace

bool View::isInjective() const {
  if (numElements() == 0)
    return true;
  std::vector<Span> spans;
  bool clear = true;
  for (const Block &block : blocks_) {
    if (clearlyRepeats(block))
      return false;
    spans.push_back(bounds(block));
    clear = clear && clearlyInjective(block);
  }
  std::sort(spans.begin(), spans.end(), [](const Span &a, const Span &b) {
    return a.variable != b.variable ? a.variable < b.variable
                                    : a.begin < b.begin;
  });
  for (std::size_t i = 1; clear && i < spans.size(); ++i)
    clear = spans[i - 1].variable != spans[i].variable ||
            spans[i - 1].end <= spans[i].begin;
  if (clear)
    return true;
  std::vector<Run> all = runs();
  std::sort(all.begin(), all.end(), runLess);
  return !anyOverlap(all);
}

bool View::overlaps(const View &other) const {
  bool maybe = false;
  for (const Block &a : blocks_)
    for (const Block &b : other.blocks_) {
      const Span x = bounds(a), y = bounds(b);
      if (x.variable != y.variable || x.begin >= y.end || y.begin >= x.end)
        continue;
      if (a.offset == b.offset || (isDense(a) && isDense(b)))
        return true;
      maybe = true;
    }
  if (!maybe)
    return false;
  std::vector<Run> mine = runs(), theirs = other.runs();
  std::sort(mine.begin(), mine.end(), runLess);
  std::sort(theirs.begin(), theirs.end(), runLess);
  std::size_t i = 0, j = 0;
  while (i < mine.size() && j < theirs.size()) {
    const Run &a = mine[i], &b = theirs[j];
    if (a.variable == b.variable && a.offset < b.offset + b.count &&
        b.offset < a.offset + a.count)
      return true;
    const bool first = a.variable != b.variable
                           ? a.variable < b.variable
                           : a.offset + a.count <= b.offset + b.count;
    ++(first ? i : j);
  }
  return false;
}

std::vector<Run> View::runs() const {
  std::vector<Run> result;
  forEachRun([&](const Run &run) { result.push_back(run); });
  return result;
}

bool operator==(const View &a, const View &b) {
  if (a.shape() != b.shape())
    return false;
  const auto isSameList = [](const View &x, const View &y) {
    return std::equal(x.blocks().begin(), x.blocks().end(), y.blocks().begin(),
                      y.blocks().end(), isSame);
  };
  if (isSameList(a, b))
    return true;
  // As vectors: the same box can be given by loops over other dimensions. The
  // loops of a vector's block are unique, so blocks of the same size that
  // differ hold other elements; only if the sizes differ, runs are compared.
  const View x = a.flatten(), y = b.flatten();
  for (std::size_t i = 0; i < std::min(x.blocks().size(), y.blocks().size());
       ++i) {
    const Block &p = x.blocks()[i], &q = y.blocks()[i];
    if (p.variable != q.variable || p.offset != q.offset)
      return false;
    if (p.dims[0].extent != q.dims[0].extent) {
      const std::vector<Run> mine = x.runs(), theirs = y.runs();
      return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                        [](const Run &r, const Run &s) {
                          return r.variable == s.variable &&
                                 r.offset == s.offset && r.count == s.count;
                        });
    }
    if (!(p.dims[0].loops == q.dims[0].loops))
      return false;
  }
  return true;
}

} // namespace ipumodel
