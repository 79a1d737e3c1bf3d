// How often a tap is due.
#pragma once

#include "outfeed/tap_plan.hpp"

namespace popscope::outfeed {

// The share of all updates at which it is; updates that are listed one by one
// are too few to count. An alarm is not due when another tap of its tensor,
// which tells as much, is.
inline double dueShare(const TapPlan &plan, const Tap &tap) {
  double share = tap.schedule.every == 0 ? 0.0 : 1.0 / tap.schedule.every;
  if (TapPlan::isAlarm(tap.id) && tap.masked)
    for (const Tap &other : plan.taps())
      if (other.replaces == tap.id)
        share -= dueShare(plan, other);
  return share < 0.0 ? 0.0 : share;
}

} // namespace popscope::outfeed
