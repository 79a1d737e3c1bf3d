#include "host/pictures/filter_grid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace popscope::host {

summary::Image drawFilters(const WeightValues &kernel) {
  if (kernel.shape.size() != 4)
    throw std::invalid_argument("[host] " + kernel.name +
                                " is not the kernel of a convolution");
  const std::size_t height = kernel.shape[0], width = kernel.shape[1];
  const std::size_t tiles = kernel.shape[2] * kernel.shape[3];
  const auto side = std::size_t(std::ceil(std::sqrt(double(tiles))));

  float least = INFINITY, most = -INFINITY;
  for (const float value : kernel.values)
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  const float range = most > least ? most - least : 1.0f;

  const std::size_t gridWidth = side * (width + 1) - 1;
  const std::size_t gridHeight = side * (height + 1) - 1;
  std::vector<float> grid(gridWidth * gridHeight, 0.0f);
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    const std::size_t left = tile % side * (width + 1);
    const std::size_t top = tile / side * (height + 1);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const float value = kernel.values[(y * width + x) * tiles + tile];
        grid[(top + y) * gridWidth + left + x] = (value - least) / range;
      }
  }
  return summary::imageFromFloats(std::uint32_t(gridWidth),
                                  std::uint32_t(gridHeight),
                                  summary::PixelFormat::grey, grid);
}

} // namespace popscope::host
