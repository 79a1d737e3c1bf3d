#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace popscope::text {

namespace {

// Significant digits without a point, and the exponent of the first.
struct Decimal {
  std::string digits;
  int exponent;
};

Decimal shortestDecimal(double magnitude) {
  char text[40];
  int precision = 0;
  do
    std::snprintf(text, sizeof text, "%.*e", precision++, magnitude);
  while (std::strtod(text, nullptr) != magnitude);
  std::string digits(text, std::string_view(text).find('e'));
  const int exponent = std::atoi(text + digits.size() + 1);
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  return {digits, exponent};
}

std::string zeros(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), '0');
}

std::string withPoint(std::string digits, std::size_t at) {
  if (digits.size() > at)
    digits.insert(at, 1, '.');
  return digits;
}

} // namespace

std::string withThousands(double value) {
  std::string digits = std::to_string(static_cast<unsigned long long>(value));
  for (std::size_t i = digits.size(); i > 3; i -= 3)
    digits.insert(i - 3, ",");
  return digits;
}

std::string countText(std::uint64_t value) {
  return withThousands(double(value));
}

std::string counted(std::uint64_t count, const std::string &noun) {
  return countText(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string significant(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  std::string shown = text;
  const std::size_t exponent = shown.find('e');
  if (exponent == std::string::npos || !std::isfinite(value))
    return shown;
  // Without a plus sign and leading zeros.
  return shown.substr(0, exponent + 1) +
         std::to_string(std::atoi(shown.c_str() + exponent + 1));
}

std::string ordinal(unsigned long value) {
  const unsigned long last = value % 10;
  const bool isTeen = value / 10 % 10 == 1;
  const char *ending = "th";
  if (!isTeen && last >= 1 && last <= 3)
    ending = last == 1 ? "st" : last == 2 ? "nd" : "rd";
  return std::to_string(value) + ending;
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

std::string pythonNumber(double value) {
  if (std::isnan(value))
    return "nan";
  const std::string sign = std::signbit(value) ? "-" : "";
  if (std::isinf(value))
    return sign + "inf";
  const auto [digits, exponent] = shortestDecimal(std::fabs(value));
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    char suffix[8];
    std::snprintf(suffix, sizeof suffix, "e%+03d", exponent);
    return sign + withPoint(digits, 1) + suffix;
  }
  if (exponent < 0)
    return sign + "0." + zeros(-exponent - 1) + digits;
  if (count <= exponent + 1)
    return sign + digits + zeros(exponent + 1 - count) + ".0";
  return sign + withPoint(digits, static_cast<std::size_t>(exponent) + 1);
}

std::string jsonNumber(double value) {
  if (std::isnan(value))
    return "\"NaN\"";
  if (std::isinf(value))
    return value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  return pythonNumber(value);
}

} // namespace popscope::text
