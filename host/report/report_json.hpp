// A report as JSON: what its page draws.
#pragma once

#include "host/report/reported_run.hpp"

#include <string>

namespace popscope::host {

// Numbers that are floats in an event file read back as the same floats.
std::string toJson(const Report &report);

} // namespace popscope::host
