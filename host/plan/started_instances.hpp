// The instances that poprun has started, by popdist.
#pragma once

#include "outfeed/instances.hpp"

#include <memory>
#include <optional>

namespace popscope::host {

// The slice that the variables of poprun give this process; absent if there are
// none. Throws BadInput if they cannot be used, or if mpirun has started
// several processes without them: each would train the whole model.
std::optional<outfeed::ReplicaSlice> startedSlice();

// Meets the others of the slice. Throws std::runtime_error if it cannot.
std::unique_ptr<outfeed::Instances>
meetInstances(const outfeed::ReplicaSlice &slice);

} // namespace popscope::host
