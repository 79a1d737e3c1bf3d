// Time that only moves forward.
#pragma once

#include <chrono>

namespace popscope::host {

// Since some moment in the past.
inline double steadySeconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

} // namespace popscope::host
