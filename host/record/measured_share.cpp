#include "host/record/measured_share.hpp"

#include "text/number_text.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>

namespace popscope::host {

namespace {

constexpr double kDoubt = 0.05;

// How many of the smallest, and of the largest, of so many measurements may be
// left out for the rest to enclose the median.
std::size_t leftOut(std::size_t measurements) {
  double ways = 1.0, outside = 0.0; // of the smallest `k` being above it
  const double all = std::pow(2.0, double(measurements));
  for (std::size_t k = 0; k < measurements; ++k) {
    outside += 2.0 * ways / all;
    if (outside > kDoubt)
      return k == 0 ? 0 : k - 1;
    ways *= double(measurements - k) / double(k + 1);
  }
  return 0;
}

std::string rounded(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

} // namespace

MeasuredShare sumOf(const std::vector<MeasuredShare> &parts) {
  MeasuredShare sum;
  double squares = 0.0;
  for (const MeasuredShare &part : parts) {
    sum.share += part.share;
    squares += part.error * part.error;
  }
  sum.error = std::sqrt(squares);
  return sum;
}

MeasuredShare medianOf(std::vector<double> shares) {
  assert(shares.size() >= kLeastMeasurements && "too few to know the error");
  std::sort(shares.begin(), shares.end());
  const std::size_t n = shares.size(), out = leftOut(n);
  const double median = (shares[(n - 1) / 2] + shares[n / 2]) / 2;
  return {median, std::max(median - shares[out], shares[n - 1 - out] - median)};
}

std::string textOf(const MeasuredShare &share) {
  if (!share.isKnown())
    return "< " + percent(share.most());
  const double value = 100 * share.share, error = 100 * share.error;
  constexpr int kMostDecimals = 4;
  // One digit of the error, or two if the first is a 1.
  const int decimals = error <= 0.0
                           ? 2
                           : std::clamp(-int(std::floor(std::log10(error / 2))),
                                        0, kMostDecimals);
  return rounded(value, decimals) + " % +- " + rounded(error, decimals) + " %";
}

std::string percent(double share) {
  const double value = 100 * share;
  return (value < 100 ? text::significant(value, 2) : rounded(value, 0)) + " %";
}

} // namespace popscope::host
