// A heat map: rows of tensors, columns of updates.
#pragma once

#include "summary/values/image.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace popscope::host {

struct HeatMapValues {
  std::string title;
  std::vector<std::string> rows; // their names
  std::size_t columns = 0;
  std::uint32_t firstUpdate = 0, updatesPerColumn = 1;
  // Row by row. NaN where there is none; infinite for what is not finite.
  std::vector<float> values;
  // Colours follow the logarithm of the magnitude; zeros have their own.
  bool isLogarithmic = false;
};

summary::Image drawHeatMap(const HeatMapValues &map);

} // namespace popscope::host
