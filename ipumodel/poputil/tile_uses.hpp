// Which tiles use which elements of a variable, and how they share them.
#pragma once

#include <poplar/Interval.hpp>

#include <cstddef>
#include <vector>

namespace ipumodel {

// One tile's use of consecutive elements.
struct TileUse {
  poplar::Interval elements;
  unsigned tile;
};

// Consecutive elements, or grains, with the tiles that use them, ascending.
// Lists of segments are sorted, do not overlap and can have gaps.
struct Segment {
  poplar::Interval range;
  std::vector<unsigned> tiles;
};

// Segments as long as possible. Repeated uses count once.
std::vector<Segment> segmentsOf(const std::vector<TileUse> &uses);

// The same in grains; a grain with several segments joins the first of them.
std::vector<Segment> inGrains(const std::vector<Segment> &segments,
                              std::size_t grainSize);

// Each segment grows up to the next, the first also down to 0 and the last up
// to `end`.
std::vector<Segment> withoutGaps(std::vector<Segment> segments,
                                 std::size_t end);

// A segment whose users include those of both its neighbours, and are as many
// as these have together, is given to the tiles of the one before it.
std::vector<Segment> withoutHalos(const std::vector<Segment> &segments);

// Successive segments that have tiles in common become one, along with the gap
// between them.
std::vector<Segment> joinSharedTiles(const std::vector<Segment> &segments);

// Spreads the segments that have the same tiles over these, in whole grains and
// at least so many elements on each; no element has two uses left.
std::vector<TileUse> shareOut(const std::vector<Segment> &segments,
                              unsigned grainSize, unsigned minPerTile);

} // namespace ipumodel
