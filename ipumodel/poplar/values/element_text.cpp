#include "poplar/values/element_text.hpp"

#include "poplar/values/type_info.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

namespace ipumodel {

namespace {

using FloatFormat = poplar::PrintTensorFmt::FloatFormat;

// Outside these limits, a tensor's floats are written with exponents.
constexpr double kSmall = 1e-4;
constexpr double kLarge = 1e8;
constexpr double kSpread = 1000;

// The exact value of a float has no more digits.
constexpr int kMaxDigits = 64;

std::string formatted(const char *format, int precision, double value) {
  char text[512]; // the largest float has 39 digits before the point
  const int size = std::snprintf(text, sizeof text, format, precision, value);
  return std::string(text, static_cast<std::size_t>(size));
}

// The decimal exponent of the value after rounding to `digits`.
int exponentOf(double value, int digits) {
  const std::string text = formatted("%.*e", digits - 1, value);
  return std::atoi(text.c_str() + text.find('e') + 1);
}

} // namespace

ElementText::ElementText(poplar::Type type, const void *elements,
                         std::size_t count,
                         const poplar::PrintTensorFmt &format)
    : type_(type), elements_(static_cast<const char *>(elements)),
      elementSize_(sizeOf(type)),
      digits_(static_cast<int>(
          std::clamp(format.digits, 1u, unsigned(kMaxDigits)))),
      floatFormat_(format.floatFormat) {
  if (infoOf(type).isFloat && floatFormat_ == FloatFormat::Auto)
    floatFormat_ =
        needsExponents(count) ? FloatFormat::Scientific : FloatFormat::Fixed;
}

std::string ElementText::at(std::size_t index) const {
  const TypeInfo &info = infoOf(type_);
  const char *element = elements_ + index * elementSize_;
  if (info.isFloat)
    return floatText(floatAt(index));
  if (info.isSigned) {
    long long value;
    convertFromDevice(type_, poplar::TypeTraits::make<long long>(), element, 1,
                      &value);
    return std::to_string(value);
  }
  unsigned long long value;
  convertFromDevice(type_, poplar::TypeTraits::make<unsigned long long>(),
                    element, 1, &value);
  return std::to_string(value);
}

double ElementText::floatAt(std::size_t index) const {
  double value;
  convertFromDevice(type_, poplar::TypeTraits::make<double>(),
                    elements_ + index * elementSize_, 1, &value);
  return value;
}

bool ElementText::needsExponents(std::size_t count) const {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double magnitude = std::fabs(floatAt(i));
    if (magnitude == 0 || !std::isfinite(magnitude))
      continue;
    least = std::min(least, magnitude);
    most = std::max(most, magnitude);
  }
  return most != 0 &&
         (most >= kLarge || least < kSmall || most / least > kSpread);
}

std::string ElementText::floatText(double value) const {
  if (!std::isfinite(value))
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  switch (floatFormat_) {
  case FloatFormat::None:
    return formatted("%.*g", std::numeric_limits<float>::max_digits10, value);
  case FloatFormat::Scientific:
    return formatted("%.*e", digits_ - 1, value);
  default:
    // Counts the digits before the point, including a single zero.
    const int before = std::max(exponentOf(value, digits_), 0) + 1;
    return formatted("%.*f", std::max(digits_ - before, 0), value);
  }
}

} // namespace ipumodel
