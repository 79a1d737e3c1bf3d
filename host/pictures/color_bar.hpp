// The scale beside a picture whose colours are numbers.
#pragma once

#include "host/pictures/canvas.hpp"
#include "host/pictures/color_map.hpp"

#include <vector>

namespace popscope::host {

// The numbers that the first and the last colour of a map stand for.
struct ColorScale {
  double low, high;

  // The place of a value in the map, from 0 to 1; 0 if the ends are equal.
  double share(double value) const;
};

// Multiples of 1, 2 or 5 times a power of ten between the ends, at most `most`
// of them and `leastStep` apart. The low end alone if the ends are equal.
std::vector<double> ticksOf(const ColorScale &scale, unsigned most,
                            double leastStep = 0.0);

// Fills the area, the high end on top, and writes the ticks to its right.
void drawColorBar(Canvas &canvas, const Rectangle &area, const ColorMap &map,
                  const ColorScale &scale, const std::vector<double> &ticks);

} // namespace popscope::host
