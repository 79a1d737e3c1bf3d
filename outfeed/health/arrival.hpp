// How a tensor that is not finite came into each of the replicas.
#pragma once

#include "outfeed/instances.hpp"
#include "outfeed/rules/update_schedule.hpp"

#include <string>
#include <vector>

namespace popscope::outfeed {

// The first bad tensor of a replica. It was received if a reduction over the
// replicas brought it: what this replica contributed was finite, what another
// one did was not. Else it began here.
struct Arrival {
  unsigned replica = 0;
  Update update{0};
  std::string tensor;
  bool isReceived = false;
};

// One line for those of the same update and tensor; replicas and, if they are
// in several, their instances are named.
std::vector<std::string> arrivalLines(const std::vector<Arrival> &arrivals,
                                      const ReplicaSlice &slice);
// An array of objects.
std::string toJson(const std::vector<Arrival> &arrivals,
                   const ReplicaSlice &slice);

} // namespace popscope::outfeed
