// SIGUSR1: everything that is tapped is on for one update.
#pragma once

#include "outfeed/control/tap_control.hpp"

namespace popscope::host {

// While one exists, the signal does not end the process; without a control it
// only says that nothing can be turned on. At most one at a time.
class ControlSignal {
public:
  // The control, which may be null, outlives this.
  explicit ControlSignal(outfeed::TapControl *control);
  ~ControlSignal(); // the signal is ignored from then on
  ControlSignal(const ControlSignal &) = delete;
  ControlSignal &operator=(const ControlSignal &) = delete;
};

} // namespace popscope::host
