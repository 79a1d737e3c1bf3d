// A mean that forgets.
#pragma once

#include <algorithm>
#include <cstddef>

namespace popscope::outfeed {

// Of up to `memory` values it is their mean; after that each new value counts
// 1/memory.
class RunningMean {
public:
  void add(double value, double memory) {
    ++count_;
    mean_ += (value - mean_) / std::min(double(count_), memory);
  }
  double value() const { return mean_; }
  std::size_t count() const { return count_; }

private:
  double mean_ = 0;
  std::size_t count_ = 0;
};

} // namespace popscope::outfeed
