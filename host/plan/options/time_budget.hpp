// What --budget takes.
#pragma once

#include <string>

namespace popscope::host {

// "2%" is 0.02. Throws BadInput for anything but a percentage above 0 and up to
// 100.
double parseTimeBudget(const std::string &text);

} // namespace popscope::host
