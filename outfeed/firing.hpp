// A condition of a rule that held.
#pragma once

#include "outfeed/tap_plan.hpp"

#include <string>

namespace popscope::outfeed {

struct Firing {
  const Tap &tap; // has a condition
  Update update;
  SampleOrigin origin;
  Evidence evidence;
};

// "update 37: conv_1_acts: abs_max 1.2e4 > 1e4"; without the micro-batch and
// replica, since those of an update are one point.
std::string lineOf(const Firing &firing);

} // namespace popscope::outfeed
