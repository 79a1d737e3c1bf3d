// A report as a page for a browser.
#pragma once

#include "host/report/reported_run.hpp"

#include <ostream>

namespace popscope::host {

// One file that needs nothing else: no network, no other file. What runs and
// their event files call themselves is data to it and never markup.
void writeReportPage(std::ostream &out, const Report &report);

} // namespace popscope::host
