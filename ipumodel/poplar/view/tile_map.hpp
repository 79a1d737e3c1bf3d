// Which tile holds which elements of a variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>

namespace ipumodel {

using TileId = std::uint32_t;
constexpr TileId kNoTile = ~TileId(0);

class TileMap {
public:
  // Replaces earlier mappings of these elements.
  void set(std::size_t begin, std::size_t end, TileId tile);

  // True if all of [0, end) has a tile.
  bool covers(std::size_t end) const;

  // Calls f(begin, end, tile) for the parts of [begin, end) in order, with
  // kNoTile for gaps.
  template <class F>
  void forEach(std::size_t begin, std::size_t end, F &&f) const {
    auto it = intervals_.upper_bound(begin);
    if (it != intervals_.begin() && std::prev(it)->second.end > begin)
      --it;
    while (begin < end) {
      if (it == intervals_.end() || it->first >= end) {
        f(begin, end, kNoTile);
        return;
      }
      if (it->first > begin) {
        f(begin, it->first, kNoTile);
        begin = it->first;
      }
      const std::size_t stop = it->second.end < end ? it->second.end : end;
      f(begin, stop, it->second.tile);
      begin = stop;
      ++it;
    }
  }

private:
  struct Mapped {
    std::size_t end;
    TileId tile;
  };
  std::map<std::size_t, Mapped> intervals_; // by first element, disjoint
};

} // namespace ipumodel
