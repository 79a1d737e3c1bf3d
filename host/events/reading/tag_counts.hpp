// How many values a tag has, and at which steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace popscope::host::events {

class TagCounts {
public:
  void add(std::int64_t step, std::size_t contentBytes) {
    if (values_ == 0)
      firstStep_ = minStep_ = maxStep_ = step;
    else
      follow(step);
    lastStep_ = step;
    bytes_ += contentBytes;
    ++values_;
  }

  // Adds values that follow those counted here.
  void append(const TagCounts &later) {
    if (later.values_ == 0)
      return;
    if (values_ == 0) {
      *this = later;
      return;
    }
    follow(later.firstStep_);
    minStep_ = std::min(minStep_, later.minStep_);
    maxStep_ = std::max(maxStep_, later.maxStep_);
    outOfOrder_ += later.outOfOrder_;
    repeated_ += later.repeated_;
    lastStep_ = later.lastStep_;
    bytes_ += later.bytes_;
    values_ += later.values_;
  }

  std::uint64_t values() const { return values_; }
  std::uint64_t bytes() const { return bytes_; } // of the values' contents
  std::int64_t firstStep() const { return firstStep_; }
  std::int64_t lastStep() const { return lastStep_; }
  std::int64_t minStep() const { return minStep_; }
  std::int64_t maxStep() const { return maxStep_; }
  // Values whose step is lower than that of the value before.
  std::uint64_t outOfOrder() const { return outOfOrder_; }
  // Values whose step equals that of the value before.
  std::uint64_t repeated() const { return repeated_; }

private:
  void follow(std::int64_t step) {
    minStep_ = std::min(minStep_, step);
    maxStep_ = std::max(maxStep_, step);
    outOfOrder_ += step < lastStep_;
    repeated_ += step == lastStep_;
  }

  std::uint64_t values_ = 0;
  std::uint64_t bytes_ = 0;
  std::int64_t firstStep_ = 0;
  std::int64_t lastStep_ = 0;
  std::int64_t minStep_ = 0;
  std::int64_t maxStep_ = 0;
  std::uint64_t outOfOrder_ = 0;
  std::uint64_t repeated_ = 0;
};

} // namespace popscope::host::events
