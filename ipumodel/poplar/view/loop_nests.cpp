#include "poplar/view/loop_nests.hpp"

#include <algorithm>
#include <set>

namespace ipumodel {

namespace {

// A shape that suits all views, with as few cuts as possible: the union of all
// row lengths if each divides the next, else those all views have in common.
Shape commonShape(const std::vector<const View *> &views) {
  std::set<std::size_t> all, common;
  for (const View *view : views) {
    std::set<std::size_t> lengths;
    std::size_t length = 1;
    for (std::size_t d = view->shape().size(); d-- > 0;)
      lengths.insert(length *= view->shape()[d]);
    lengths.insert(1);
    lengths.insert(length);
    all.insert(lengths.begin(), lengths.end());
    if (view == views.front()) {
      common = lengths;
    } else {
      std::set<std::size_t> both;
      std::set_intersection(common.begin(), common.end(), lengths.begin(),
                            lengths.end(), std::inserter(both, both.end()));
      common = both;
    }
  }
  const auto isChain = [](const std::set<std::size_t> &lengths) {
    std::size_t previous = 1;
    for (const std::size_t length : lengths) {
      if (length % previous != 0)
        return false;
      previous = length;
    }
    return true;
  };
  const std::set<std::size_t> &lengths = isChain(all) ? all : common;
  Shape shape;
  std::size_t previous = 0;
  for (const std::size_t length : lengths) {
    if (previous)
      shape.insert(shape.begin(), length / previous);
    previous = length;
  }
  if (shape.empty())
    shape.push_back(previous);
  return shape;
}

class Joiner {
public:
  explicit Joiner(std::vector<LoopNest> &out) : out_(out) {}

  // Emits the part of `blocks` in their common box, in pieces if necessary.
  void emitIntersection(const std::vector<const Block *> &blocks) {
    std::vector<Block> parts;
    for (const Block *block : blocks)
      parts.push_back(*block);
    pieces_.push_back({std::move(parts), 0});
    while (!pieces_.empty()) {
      Piece piece = std::move(pieces_.back());
      pieces_.pop_back();
      cut(std::move(piece));
    }
  }

private:
  // Parts that are still to be cut to their common range, starting at dimension
  // `dim`.
  struct Piece {
    std::vector<Block> parts;
    std::size_t dim;
  };

  // Cuts the parts to their common range in one dimension after the other and
  // emits them, or queues smaller pieces. Not recursive, since there can be as
  // many pieces as elements.
  void cut(Piece piece) {
    std::vector<Block> &parts = piece.parts;
    for (std::size_t dim = piece.dim; dim < parts[0].dims.size(); ++dim) {
      std::size_t begin = 0, end = SIZE_MAX;
      for (const Block &part : parts) {
        begin = std::max(begin, part.dims[dim].begin);
        end = std::min(end, part.dims[dim].begin + part.dims[dim].extent);
      }
      if (begin >= end)
        return;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const BlockDim &range = parts[i].dims[dim];
        if (range.begin == begin && range.extent == end - begin)
          continue;
        replace(parts, i, dim, slicePart(parts[i], dim, begin, end));
        return;
      }
    }
    emit(parts);
  }

  // Queues `parts` once for each of `by`, which replaces part `i`.
  void replace(const std::vector<Block> &parts, std::size_t i, std::size_t dim,
               std::vector<Block> by) {
    for (std::size_t k = by.size(); k-- > 0;) {
      pieces_.push_back({parts, dim});
      pieces_.back().parts[i] = std::move(by[k]);
    }
  }

  // Emits the loop nests of the box that all `blocks` share; their dims have
  // equal begin and extent.
  void emit(const std::vector<Block> &blocks) {
    LoopNest nest;
    for (const Block &block : blocks)
      nest.operands.push_back({block.variable, block.offset, {}});
    for (std::size_t d = 0; d < blocks[0].dims.size(); ++d)
      if (!appendDim(blocks, d, nest))
        return;
    simplify(nest);
    out_.push_back(std::move(nest));
  }

  static std::vector<Block> slicePart(const Block &block, std::size_t dim,
                                      std::size_t begin, std::size_t end) {
    Shape shape;
    for (const BlockDim &d : block.dims)
      shape.push_back(d.begin + d.extent);
    const View sliced = View(shape, {block}).slice(dim, begin, end);
    std::vector<Block> pieces = sliced.blocks();
    for (Block &piece : pieces)
      piece.dims[dim].begin += begin;
    return pieces;
  }

  // Appends the loops of one dimension, split to common counts. Returns false
  // if they cannot be made equal and the box was cut into pieces instead.
  bool appendDim(const std::vector<Block> &blocks, std::size_t dim,
                 LoopNest &nest) {
    std::vector<Loops> viewLoops;
    for (const Block &block : blocks)
      viewLoops.push_back(block.dims[dim].loops);
    const std::size_t extent = blocks[0].dims[dim].extent;
    std::vector<std::size_t> counts; // innermost first
    std::vector<std::vector<std::ptrdiff_t>> strides(blocks.size());
    std::size_t covered = 1;
    while (covered < extent) {
      std::size_t smallest = SIZE_MAX, largestMisfit = 0;
      for (const Loops &loops : viewLoops)
        smallest = std::min(smallest, loops.back().count);
      for (const Loops &loops : viewLoops)
        if (loops.back().count % smallest != 0)
          largestMisfit = std::max(largestMisfit, loops.back().count);
      if (largestMisfit) {
        // Less than the extent, which is a multiple of `smallest`.
        cutInChunks(blocks, dim, covered * largestMisfit);
        return false;
      }
      for (std::size_t i = 0; i < viewLoops.size(); ++i) {
        Loop &inner = viewLoops[i].back();
        strides[i].push_back(inner.stride);
        inner = {inner.count / smallest,
                 inner.stride * static_cast<std::ptrdiff_t>(smallest)};
        if (inner.count == 1)
          viewLoops[i].pop_back();
      }
      counts.push_back(smallest);
      covered *= smallest;
    }
    nest.counts.insert(nest.counts.end(), counts.rbegin(), counts.rend());
    for (std::size_t i = 0; i < blocks.size(); ++i)
      nest.operands[i].strides.insert(nest.operands[i].strides.end(),
                                      strides[i].rbegin(), strides[i].rend());
    return true;
  }

  // cut() then cuts the other parts to the same range.
  void cutInChunks(const std::vector<Block> &blocks, std::size_t dim,
                   std::size_t chunk) {
    const BlockDim &whole = blocks[0].dims[dim];
    const std::size_t end = whole.begin + whole.extent;
    std::vector<Block> chunks;
    for (std::size_t begin = whole.begin; begin < end; begin += chunk)
      for (Block &part :
           slicePart(blocks[0], dim, begin, std::min(begin + chunk, end)))
        chunks.push_back(std::move(part));
    replace(blocks, 0, dim, std::move(chunks));
  }

  static void simplify(LoopNest &nest) {
    const auto erase = [&](std::size_t loop) {
      nest.counts.erase(nest.counts.begin() +
                        static_cast<std::ptrdiff_t>(loop));
      for (Operand &operand : nest.operands)
        operand.strides.erase(operand.strides.begin() +
                              static_cast<std::ptrdiff_t>(loop));
    };
    for (std::size_t i = nest.counts.size(); i-- > 1;) {
      const auto inner = static_cast<std::ptrdiff_t>(nest.counts[i]);
      const bool one = std::all_of(
          nest.operands.begin(), nest.operands.end(), [&](const Operand &o) {
            return o.strides[i - 1] == inner * o.strides[i];
          });
      if (!one)
        continue;
      nest.counts[i] *= nest.counts[i - 1];
      erase(i - 1);
    }
  }

  std::vector<LoopNest> &out_;
  std::vector<Piece> pieces_; // the next one is last
};

void sweep(const std::vector<View> &views, Joiner &joiner) {
  std::vector<std::size_t> at(views.size(), 0);
  const std::size_t total = views[0].numElements();
  std::size_t position = 0;
  while (position < total) {
    std::vector<const Block *> blocks;
    std::size_t end = SIZE_MAX;
    for (std::size_t i = 0; i < views.size(); ++i) {
      const Block &block = views[i].blocks()[at[i]];
      end = std::min(end, block.dims[0].begin + block.dims[0].extent);
      blocks.push_back(&block);
    }
    joiner.emitIntersection(blocks);
    for (std::size_t i = 0; i < views.size(); ++i) {
      const BlockDim &dim = views[i].blocks()[at[i]].dims[0];
      if (dim.begin + dim.extent == end)
        ++at[i];
    }
    position = end;
  }
}

bool intersects(const Block &a, const Block &b) {
  for (std::size_t d = 0; d < a.dims.size(); ++d)
    if (a.dims[d].begin >= b.dims[d].begin + b.dims[d].extent ||
        b.dims[d].begin >= a.dims[d].begin + a.dims[d].extent)
      return false;
  return true;
}

void crossAll(const std::vector<View> &views,
              std::vector<const Block *> &chosen, Joiner &joiner) {
  if (chosen.size() == views.size()) {
    joiner.emitIntersection(chosen);
    return;
  }
  for (const Block &block : views[chosen.size()].blocks()) {
    const bool meets =
        std::all_of(chosen.begin(), chosen.end(), [&](const Block *other) {
          return intersects(*other, block);
        });
    if (!meets)
      continue;
    chosen.push_back(&block);
    crossAll(views, chosen, joiner);
    chosen.pop_back();
  }
}

// Above this many block pairs, flattening and one sorted sweep is cheaper.
constexpr std::size_t kMaxPairs = 4096;

} // namespace

std::vector<LoopNest> commonLoopNests(const std::vector<const View *> &views) {
  std::vector<LoopNest> result;
  if (views.empty() || views[0]->numElements() == 0)
    return result;
  Shape shape = commonShape(views);
  std::vector<View> aligned;
  std::size_t pairs = 1;
  for (const View *view : views) {
    aligned.push_back(view->reshape(shape));
    pairs *= aligned.back().blocks().size();
  }
  if (shape.size() > 1 && pairs > kMaxPairs) {
    shape = {views[0]->numElements()};
    for (std::size_t i = 0; i < views.size(); ++i)
      aligned[i] = views[i]->flatten();
  }
  Joiner joiner(result);
  if (shape.size() == 1) {
    sweep(aligned, joiner);
  } else {
    std::vector<const Block *> chosen;
    crossAll(aligned, chosen, joiner);
  }
  return result;
}

} // namespace ipumodel
