// Numbers as people read them.
#pragma once

#include <string>

namespace popscope::host {

std::string withThousands(double value); // "1,234,567"
std::string fourDecimals(double value);

} // namespace popscope::host
