// How the instances of a training end: together.
#pragma once

#include "host/run/run_report.hpp"
#include "outfeed/instances.hpp"

#include <string>

namespace popscope::host {

// The channel by which the first instance lets the others begin to write.
constexpr char kRunBegins[] = "run begins";

// "instance 1 of 2, replicas 2 to 3 of 4"
std::string describe(const outfeed::ReplicaSlice &slice);

// When this instance has written everything: the first one tells what the
// others have lost, and all get its exit code, which is exitFailed then. None
// leaves before: mpirun ends all once one has failed.
int endTogether(outfeed::Instances &instances, const RunReport &report,
                int exitCode);

} // namespace popscope::host
