#include "poplar/view/tile_map.hpp"

#include <iterator>

namespace ipumodel {

void TileMap::set(std::size_t begin, std::size_t end, TileId tile) {
  if (begin >= end)
    return;
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

bool TileMap::covers(std::size_t end) const {
  bool complete = true;
  forEach(0, end, [&](std::size_t, std::size_t, TileId tile) {
    complete = complete && tile != kNoTile;
  });
  return complete;
}

} // namespace ipumodel
