#include "poputil/tile_uses.hpp"

#include <poputil/Util.hpp>

#include <algorithm>
#include <iterator>
#include <map>

namespace ipumodel {

using poplar::Interval;

namespace {

// Appends a segment, joined with the last one if it continues that one.
void append(std::vector<Segment> &segments, Segment segment) {
  if (segment.range.size() == 0)
    return;
  if (!segments.empty() &&
      segments.back().range.end() == segment.range.begin() &&
      segments.back().tiles == segment.tiles) {
    auto &range = segments.back().range;
    range = Interval(range.begin(), segment.range.end());
    return;
  }
  segments.push_back(std::move(segment));
}

std::vector<unsigned> unionOf(const std::vector<unsigned> &a,
                              const std::vector<unsigned> &b) {
  std::vector<unsigned> tiles;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(tiles));
  return tiles;
}

bool includes(const std::vector<unsigned> &all,
              const std::vector<unsigned> &some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

} // namespace

std::vector<Segment> segmentsOf(const std::vector<TileUse> &uses) {
  // At each position where uses begin or end, by tile: the number of uses that
  // begin minus the number that end.
  std::map<std::size_t, std::vector<std::pair<unsigned, int>>> changes;
  for (const TileUse &use : uses) {
    if (use.elements.size() == 0)
      continue;
    changes[use.elements.begin()].emplace_back(use.tile, 1);
    changes[use.elements.end()].emplace_back(use.tile, -1);
  }

  std::vector<Segment> segments;
  std::map<unsigned, int> active; // uses by tile
  std::size_t begin = 0;
  for (const auto &change : changes) {
    if (!active.empty()) {
      Segment segment{Interval(begin, change.first), {}};
      for (const auto &tile : active)
        segment.tiles.push_back(tile.first);
      append(segments, std::move(segment));
    }
    for (const auto &tile : change.second)
      active[tile.first] += tile.second;
    for (const auto &tile : change.second)
      if (active.count(tile.first) && active[tile.first] == 0)
        active.erase(tile.first);
    begin = change.first;
  }
  return segments;
}

std::vector<Segment> inGrains(const std::vector<Segment> &segments,
                              std::size_t grainSize) {
  std::vector<Segment> grains;
  std::size_t taken = 0;
  for (const Segment &segment : segments) {
    const auto begin = segment.range.begin() / grainSize;
    const auto end = (segment.range.end() - 1) / grainSize + 1;
    append(grains, {Interval(std::min(std::max(begin, taken), end), end),
                    segment.tiles});
    taken = std::max(taken, end);
  }
  return grains;
}

std::vector<Segment> withoutGaps(std::vector<Segment> segments,
                                 std::size_t end) {
  std::vector<Segment> whole;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto from = i == 0 ? 0 : segments[i].range.begin();
    const auto to =
        i + 1 == segments.size() ? end : segments[i + 1].range.begin();
    append(whole, {Interval(from, to), std::move(segments[i].tiles)});
  }
  return whole;
}

std::vector<Segment> withoutHalos(const std::vector<Segment> &segments) {
  const auto isHalo = [&](std::size_t i) {
    if (i == 0 || i + 1 == segments.size())
      return false;
    const auto &tiles = segments[i].tiles;
    const auto &before = segments[i - 1].tiles, &after = segments[i + 1].tiles;
    return before.size() + after.size() == tiles.size() &&
           includes(tiles, before) && includes(tiles, after);
  };
  std::vector<Segment> result;
  for (std::size_t i = 0; i < segments.size(); ++i)
    append(result, {segments[i].range,
                    isHalo(i) ? segments[i - 1].tiles : segments[i].tiles});
  return result;
}

std::vector<Segment> joinSharedTiles(const std::vector<Segment> &segments) {
  std::vector<Segment> joined;
  for (const Segment &segment : segments) {
    if (!joined.empty()) {
      auto tiles = unionOf(joined.back().tiles, segment.tiles);
      if (tiles.size() < joined.back().tiles.size() + segment.tiles.size()) {
        joined.back() = {
            Interval(joined.back().range.begin(), segment.range.end()),
            std::move(tiles)};
        continue;
      }
    }
    joined.push_back(segment);
  }
  return joined;
}

std::vector<TileUse> shareOut(const std::vector<Segment> &segments,
                              unsigned grainSize, unsigned minPerTile) {
  std::map<std::vector<unsigned>, std::vector<Interval>> rangesByTiles;
  for (const Segment &segment : segments)
    rangesByTiles[segment.tiles].push_back(segment.range);
  std::vector<TileUse> uses;
  for (const auto &entry : rangesByTiles) {
    const auto &tiles = entry.first;
    const auto shares = poputil::splitRegions(entry.second, grainSize,
                                              tiles.size(), minPerTile);
    for (std::size_t i = 0; i < shares.size(); ++i)
      for (const Interval &range : shares[i])
        uses.push_back({range, tiles[i]});
  }
  return uses;
}

} // namespace ipumodel
