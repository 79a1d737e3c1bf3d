#include "host/pictures/color_map.hpp"

#include <algorithm>
#include <cmath>

namespace popscope::host {

namespace {

constexpr Color kNoValue{1.0, 0.0, 1.0};

} // namespace

// Truncates, and so needs the operations of matplotlib in their order: where
// the exact result is a whole number, rounding decides.
ColorMap::ColorMap(const std::vector<Rgb> &anchors) {
  constexpr double kLast = double(kColors - 1);
  const std::size_t last = anchors.size() - 1;
  const auto placeOf = [](std::size_t i, std::size_t end) {
    return i == end ? kLast : kLast * (double(i) * (1.0 / double(end)));
  };
  for (std::size_t i = 0, above = 1; i < kColors; ++i) {
    const double place = placeOf(i, kColors - 1);
    while (above < last && placeOf(above, last) < place)
      ++above;
    const double from = placeOf(above - 1, last), to = placeOf(above, last);
    const auto channel = [&](std::size_t c) {
      const double low = anchors[above - 1][c] / 255.0;
      const double high = anchors[above][c] / 255.0;
      const double value = (place - from) / (to - from) * (high - low) + low;
      return std::trunc(255.0 * (i == kColors - 1 ? high : value)) / 255.0;
    };
    colors_[i] = {channel(0), channel(1), channel(2)};
  }
}

Color ColorMap::at(double share) const {
  if (std::isnan(share))
    return kNoValue;
  const double index = std::clamp(share, 0.0, 1.0) * double(kColors);
  return colors_[std::min(std::size_t(index), kColors - 1)];
}

const ColorMap &blues() {
  static const ColorMap kBlues({{247, 251, 255},
                                {222, 235, 247},
                                {198, 219, 239},
                                {158, 202, 225},
                                {107, 174, 214},
                                {66, 146, 198},
                                {33, 113, 181},
                                {8, 81, 156},
                                {8, 48, 107}});
  return kBlues;
}

const ColorMap &redToBlue() {
  static const ColorMap kRedToBlue({{103, 0, 31},
                                    {178, 24, 43},
                                    {214, 96, 77},
                                    {244, 165, 130},
                                    {253, 219, 199},
                                    {247, 247, 247},
                                    {209, 229, 240},
                                    {146, 197, 222},
                                    {67, 147, 195},
                                    {33, 102, 172},
                                    {5, 48, 97}});
  return kRedToBlue;
}

const ColorMap &viridis() {
  static const ColorMap kViridis({{68, 1, 84},
                                  {72, 36, 117},
                                  {65, 68, 135},
                                  {53, 95, 141},
                                  {42, 120, 142},
                                  {33, 145, 140},
                                  {34, 168, 132},
                                  {68, 191, 112},
                                  {122, 209, 81},
                                  {189, 223, 38},
                                  {253, 231, 37}});
  return kViridis;
}

} // namespace popscope::host
