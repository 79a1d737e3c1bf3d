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

  // The map of [0, period) holds for `laps` periods, one after the other. It is
  // stored once, so that a table of many rows costs no more than one of them.
  void repeat(std::size_t period, std::size_t laps);

  // True if all of [0, end) has a tile.
  bool covers(std::size_t end) const;

  // Calls f(begin, end, tile) for the parts of [begin, end) in order, with
  // kNoTile for gaps.
  template <class F>
  void forEach(std::size_t begin, std::size_t end, F &&f) const {
    if (laps_ == 1) {
      forEachOfLap(begin, end, 0, f);
      return;
    }
    while (begin < end) {
      const std::size_t lap = begin / period_;
      const std::size_t start = lap * period_;
      const std::size_t stop = lap < laps_ ? start + period_ : end;
      const std::size_t partEnd = stop < end ? stop : end;
      if (lap < laps_)
        forEachOfLap(begin - start, partEnd - start, start, f);
      else
        f(begin, partEnd, kNoTile);
      begin = partEnd;
    }
  }

private:
  template <class F>
  void forEachOfLap(std::size_t begin, std::size_t end, std::size_t start,
                    F &&f) const {
    auto it = intervals_.upper_bound(begin);
    if (it != intervals_.begin() && std::prev(it)->second.end > begin)
      --it;
    while (begin < end) {
      if (it == intervals_.end() || it->first >= end) {
        f(start + begin, start + end, kNoTile);
        return;
      }
      if (it->first > begin) {
        f(start + begin, start + it->first, kNoTile);
        begin = it->first;
      }
      const std::size_t stop = it->second.end < end ? it->second.end : end;
      f(start + begin, start + stop, it->second.tile);
      begin = stop;
      ++it;
    }
  }

  struct Mapped {
    std::size_t end;
    TileId tile;
  };
  // Writes out the laps, so that they can differ.
  void unroll();

  std::map<std::size_t, Mapped> intervals_; // by first element, disjoint
  std::size_t period_ = 0;                  // if there are several laps
  std::size_t laps_ = 1;
};

} // namespace ipumodel
