// Asks a running program to change its taps.
#pragma once

#include "outfeed/control/control_request.hpp"

#include <stdexcept>
#include <string>

namespace popscope::outfeed {

// No program of this user listens there.
class NoControl : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

// To the program that listens in this directory. Waits until the change has
// taken effect. Throws NoControl, and std::runtime_error if the program ends
// without a reply.
ControlReply sendControl(const std::string &directory,
                         const ControlRequest &request);

} // namespace popscope::outfeed
