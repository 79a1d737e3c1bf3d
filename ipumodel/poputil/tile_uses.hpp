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

// Consecutive elements, or grains, and the tiles that use them, ascending.
// Lists of segments are sorted, do not overlap and may have gaps.
struct Segment {
  poplar::Interval range;
  std::vector<unsigned> tiles;
};

// Segments as long as possible. Repeated uses count once.
std::vector<Segment> segmentsOf(const std::vector<TileUse> &uses);

// The same in grains; a grain with several segments belongs to the first of
// them.
std::vector<Segment> inGrains(const std::vector<Segment> &segments,
                              std::size_t grainSize);

// Extends each segment up to the next, the first also down to 0 and the last up
// to `end`.
std::vector<Segment> withoutGaps(std::vector<Segment> segments,
                                 std::size_t end);

// If the users of a segment are exactly the users of both its neighbours
// together, it gets the tiles of the one before it.
std::vector<Segment> withoutHalos(const std::vector<Segment> &segments);

// Joins consecutive segments with tiles in common, including the gap between
// them.
std::vector<Segment> joinSharedTiles(const std::vector<Segment> &segments);

// Distributes segments with the same tiles over these, in whole grains and with
// a minimum of elements on each; afterwards no element has two uses.
std::vector<TileUse> shareOut(const std::vector<Segment> &segments,
                              unsigned grainSize, unsigned minPerTile);

} // namespace ipumodel
