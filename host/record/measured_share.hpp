// A share of a training's time that was measured, and how well it is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace popscope::host {

struct MeasuredShare {
  double share = 0.0; // 0.02 is 2 %; noise may make it negative
  double error = 0.0; // it is off by more in one of twenty cases

  // Else it could be noise.
  bool isKnown() const { return share > error; }
  double most() const { return std::max(0.0, share) + error; }
  MeasuredShare times(double factor) const {
    return {share * factor, error * factor};
  }
};

// Of independent parts.
MeasuredShare sumOf(const std::vector<MeasuredShare> &parts);

// So many measurements are needed to know the error, even if the largest and
// the smallest of them are far off.
constexpr std::size_t kLeastMeasurements = 9;

// The median of measurements of the same share, whatever their distribution:
// its error is that of the sign test.
MeasuredShare medianOf(std::vector<double> shares);

// "1.2 % +- 0.3 %"; "< 0.5 %" if it could be noise.
std::string textOf(const MeasuredShare &share);
// "2 %".
std::string percent(double share);

} // namespace popscope::host
