// How much of each tap has come to the host.
#pragma once

#include "outfeed/tap_plan.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::outfeed {

class TapTraffic {
public:
  void add(TapId tap, std::size_t bytes) {
    std::vector<std::uint64_t> &list = listOf(tap);
    const std::size_t place = TapPlan::placeOf(tap);
    if (list.size() <= place)
      list.resize(place + 1, 0);
    list[place] += bytes;
  }
  // Of records and elements, from all replicas; headers of frames are not part
  // of it. A record that two taps share counts for both.
  std::uint64_t bytesOf(TapId tap) const {
    const auto &list = TapPlan::isAlarm(tap) ? alarms_ : taps_;
    const std::size_t place = TapPlan::placeOf(tap);
    return place < list.size() ? list[place] : 0;
  }

private:
  std::vector<std::uint64_t> &listOf(TapId tap) {
    return TapPlan::isAlarm(tap) ? alarms_ : taps_;
  }

  std::vector<std::uint64_t> taps_, alarms_; // by their place
};

} // namespace popscope::outfeed
