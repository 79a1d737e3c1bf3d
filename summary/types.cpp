#include "summary/types.hpp"

#include <ctime>

namespace popscope::summary {

WallTime systemTime() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return WallTime(double(now.tv_sec) + double(now.tv_nsec) * 1e-9);
}

} // namespace popscope::summary
