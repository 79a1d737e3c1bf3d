#include "poplar/view/tile_map.hpp"

#include <iterator>

namespace ipumodel {

void TileMap::set(std::size_t begin, std::size_t end, TileId tile) {
  if (begin >= end)
    return;
  if (begin == 0 && end >= period_ * laps_)
    laps_ = 1; // all of it is replaced
  unroll();
  auto it = intervals_.upper_bound(begin);
  if (it != intervals_.begin()) {
    const auto before = std::prev(it);
    Mapped &mapped = before->second;
    if (mapped.tile == tile && mapped.end >= begin) {
      if (mapped.end >= end)
        return;
      begin = before->first;
      it = intervals_.erase(before);
    } else if (mapped.end > begin) {
      const Mapped tail = mapped;
      mapped.end = begin;
      if (tail.end > end)
        intervals_.emplace(end, tail);
      if (before->first == begin)
        intervals_.erase(before);
      it = intervals_.lower_bound(begin);
    }
  }
  while (it != intervals_.end() && it->first < end) {
    const Mapped overlapped = it->second;
    it = intervals_.erase(it);
    if (overlapped.end > end) {
      it = intervals_.emplace(end, overlapped).first;
      break;
    }
  }
  if (it != intervals_.end() && it->first == end && it->second.tile == tile) {
    end = it->second.end;
    it = intervals_.erase(it);
  }
  intervals_.emplace_hint(it, begin, Mapped{end, tile});
}

void TileMap::repeat(std::size_t period, std::size_t laps) {
  unroll();
  intervals_.erase(intervals_.lower_bound(period), intervals_.end());
  if (!intervals_.empty() && std::prev(intervals_.end())->second.end > period)
    std::prev(intervals_.end())->second.end = period;
  period_ = period;
  laps_ = period == 0 ? 1 : laps;
  const auto first = intervals_.begin();
  if (laps_ > 1 && first != intervals_.end() && first->first == 0 &&
      first->second.end == period) // one tile
    unroll();
}

void TileMap::unroll() {
  const std::size_t laps = laps_;
  laps_ = 1;
  if (laps == 1)
    return;
  const std::map<std::size_t, Mapped> lap = intervals_;
  for (std::size_t start = period_; start < laps * period_; start += period_)
    for (const auto &[begin, mapped] : lap)
      set(start + begin, start + mapped.end, mapped.tile);
}

bool TileMap::covers(std::size_t end) const {
  bool complete = true;
  forEach(0, end, [&](std::size_t, std::size_t, TileId tile) {
    complete = complete && tile != kNoTile;
  });
  return complete;
}

} // namespace ipumodel
