#include "host/number_text.hpp"

#include <cmath>
#include <cstdio>

namespace popscope::host {

std::string withThousands(double value) {
  std::string digits = std::to_string(static_cast<unsigned long long>(value));
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string fourDecimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return std::isnan(value) ? "nan" : text; // whatever its sign
}

} // namespace popscope::host
