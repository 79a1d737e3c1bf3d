// For builds without Highway.
#include "host/data/scaled_pixels.hpp"

namespace popscope::host {

void scalePixels(const std::uint8_t *pixels, std::size_t count, float scale,
                 float *values) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(pixels[i]) * scale;
}

} // namespace popscope::host
