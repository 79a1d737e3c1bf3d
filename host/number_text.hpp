// Numbers as people read them.
#pragma once

#include <string>

namespace popscope::host {

std::string withThousands(double value); // "1,234,567"
std::string fourDecimals(double value);
// The shortest decimal that reads back as the same float: 0.1, not 0.100000001.
std::string shortestDecimal(float value);

} // namespace popscope::host
