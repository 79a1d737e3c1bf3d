#include "poplar/view/sorted_regions.hpp"

#include <algorithm>

namespace ipumodel {

namespace {

bool storedBefore(const Piece &a, const Piece &b) {
  if (a.run.variable != b.run.variable)
    return a.run.variable < b.run.variable;
  if (a.run.offset != b.run.offset)
    return a.run.offset < b.run.offset;
  return a.position < b.position;
}

// A variable and an offset at which some piece begins or ends.
using Cut = std::pair<VariableId, std::size_t>;

} // namespace

std::vector<Piece> sortedPieces(const View &view,
                                poplar::ArrayRef<poplar::Interval> regions) {
  std::vector<Piece> pieces;
  const View flat = view.flatten();
  for (const poplar::Interval &region : regions) {
    std::size_t position = region.begin();
    flat.slice(0, region.begin(), region.end()).forEachRun([&](const Run &run) {
      pieces.push_back({run, position, position});
      position += run.count;
    });
  }
  std::sort(pieces.begin(), pieces.end(), storedBefore);
  return pieces;
}

std::vector<Piece> resolveAliases(const std::vector<Piece> &sorted) {
  std::vector<Cut> cuts;
  for (const Piece &piece : sorted) {
    cuts.emplace_back(piece.run.variable, piece.run.offset);
    cuts.emplace_back(piece.run.variable, piece.run.offset + piece.run.count);
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());

  std::vector<Piece> pieces;
  for (const Piece &piece : sorted) {
    const std::size_t begin = piece.run.offset, end = begin + piece.run.count;
    auto cut = std::lower_bound(cuts.begin(), cuts.end(),
                                Cut(piece.run.variable, begin));
    for (; cut->second < end; ++cut) {
      const std::size_t count = std::next(cut)->second - cut->second;
      const std::size_t position = piece.position + (cut->second - begin);
      pieces.push_back(
          {{piece.run.variable, cut->second, count}, position, position});
    }
  }
  std::sort(pieces.begin(), pieces.end(), storedBefore);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].run.variable == pieces[i - 1].run.variable &&
        pieces[i].run.offset == pieces[i - 1].run.offset)
      pieces[i].alias = pieces[i - 1].alias;
  return pieces;
}

} // namespace ipumodel
