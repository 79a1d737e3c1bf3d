#include "poplar/view/block_parts.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

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

} // namespace

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

namespace {

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

} // namespace

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

} // namespace ipumodel
