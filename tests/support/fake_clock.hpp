// A clock that advances only when told to.
#pragma once

#include "summary/types.hpp"

#include <memory>

namespace popscope::tests {

class FakeClock {
public:
  explicit FakeClock(double seconds)
      : seconds_(std::make_shared<double>(seconds)) {}

  void advance(double seconds) { *seconds_ += seconds; }
  summary::WallTime operator()() const { return summary::WallTime(*seconds_); }

private:
  std::shared_ptr<double> seconds_; // copies share the time
};

} // namespace popscope::tests
