#include "host/events/writing/replaced_points.hpp"

namespace popscope::host::events {

void ReplacedPoints::add(std::int64_t step) {
  if (added_ != 0 && step <= lastStep_) {
    while (!returns_.empty() && returns_.back().step >= step)
      returns_.pop_back();
    returns_.push_back({added_, step});
  }
  lastStep_ = step;
  ++added_;
}

bool ReplacedPoints::remains(std::int64_t step) {
  while (nextReturn_ < returns_.size() && returns_[nextReturn_].point <= asked_)
    ++nextReturn_;
  ++asked_;
  return nextReturn_ == returns_.size() || step < returns_[nextReturn_].step;
}

} // namespace popscope::host::events
