// Colours for numbers.
#pragma once

#include "host/pictures/canvas.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace popscope::host {

// 256 colours between anchors of equal distance, made and chosen as matplotlib
// does, so that pictures have its colours to the byte.
class ColorMap {
public:
  using Rgb = std::array<std::uint8_t, 3>;
  explicit ColorMap(const std::vector<Rgb> &anchors);

  // `share` is from 0 to 1; others have the colour of the nearer end. NaN has
  // a colour that is not in the map.
  Color at(double share) const;

private:
  static constexpr std::size_t kColors = 256;
  std::array<Color, kColors> colors_;
};

// ColorBrewer's Blues, from light to dark.
const ColorMap &blues();
// ColorBrewer's RdBu: red, white in the middle, blue.
const ColorMap &redToBlue();
// matplotlib's viridis, nearly: from dark blue to yellow, to be told apart also
// by those who see few colours, and on paper.
const ColorMap &viridis();

} // namespace popscope::host
