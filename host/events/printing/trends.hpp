// How the scalars of a run go, as a line of text each.
#pragma once

#include "host/events/reading/file_walk.hpp"
#include "host/events/reading/run_index.hpp"
#include "host/events/reading/selection.hpp"

#include <map>
#include <string>
#include <vector>

namespace popscope::host::events {

// By tag; series of one value have none. Reads the files of the run once more,
// unless they are so large that someone would have to wait.
std::map<std::string, std::string>
trendsOf(const LogRun &run, const std::vector<const TagSeries *> &tags,
         FileWalk &walk);

} // namespace popscope::host::events
