// How two runs differ, drawn: a page for a browser, tensors by updates.
#pragma once

#include "host/compare/compared_runs.hpp"

#include <ostream>

namespace popscope::host {

// One file that needs nothing else: no network, no other file.
void writeDifferencePage(std::ostream &out, const ComparedRuns &runs);

} // namespace popscope::host
