#include "host/number_text.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

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

std::string shortestDecimal(float value) {
  char text[32]; // std::to_chars knows no float before GCC 11
  int digits = 1;
  do
    std::snprintf(text, sizeof text, "%.*g", digits, double(value));
  while (std::strtof(text, nullptr) != value && digits++ < 9);
  return text;
}

} // namespace popscope::host
