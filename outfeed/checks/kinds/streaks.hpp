// For how many samples in a row something holds, for each series.
#pragma once

#include "outfeed/checks/observation.hpp"

#include <cstddef>
#include <vector>

namespace popscope::outfeed {

class Streaks {
public:
  // The samples in a row up to and including this one.
  std::size_t add(const Series &series, bool holds) {
    if (series.number >= lengths_.size())
      lengths_.resize(series.number + 1, 0);
    std::size_t &length = lengths_[series.number];
    length = holds ? length + 1 : 0;
    return length;
  }

private:
  std::vector<std::size_t> lengths_;
};

} // namespace popscope::outfeed
