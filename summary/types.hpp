// The numbers of an event as distinct types, so that swapping two of them does
// not compile.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace popscope::summary {

// Position on the horizontal axis. TensorBoard's default loader discards the
// points of a tag whose step is not below a newly read one, so steps of a tag
// should increase; JavaScript shows them exactly up to 2^53.
class Step {
public:
  constexpr explicit Step(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }

  friend constexpr bool operator==(Step a, Step b) {
    return a.value_ == b.value_;
  }
  friend constexpr bool operator!=(Step a, Step b) { return !(a == b); }
  friend constexpr bool operator<(Step a, Step b) {
    return a.value_ < b.value_;
  }

private:
  std::int64_t value_;
};

// Seconds since the Unix epoch. Always finite: a NaN here makes TensorBoard's
// data server abandon the whole file.
class WallTime {
public:
  explicit WallTime(double seconds) : seconds_(seconds) {
    if (!std::isfinite(seconds))
      throw std::invalid_argument("[summary] a wall time must be finite");
  }
  double seconds() const { return seconds_; }

  friend bool operator==(WallTime a, WallTime b) {
    return a.seconds_ == b.seconds_;
  }
  friend bool operator!=(WallTime a, WallTime b) { return !(a == b); }
  friend bool operator<(WallTime a, WallTime b) {
    return a.seconds_ < b.seconds_;
  }

private:
  double seconds_;
};

using Clock = std::function<WallTime()>;

// The system's real-time clock with the resolution of the kernel's tick (1 to
// 10 ms): a finer reading would take longer than encoding a scalar.
WallTime systemTime();

} // namespace popscope::summary
