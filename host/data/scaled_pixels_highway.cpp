#include "host/data/scaled_pixels.hpp"

// foreach_target.h includes this file once per instruction set, so its place
// matters.
// clang-format off
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "host/data/scaled_pixels_highway.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

HWY_BEFORE_NAMESPACE();
namespace popscope::host::HWY_NAMESPACE {

// The compiler makes vectors of it, each time for another instruction set.
void scaledPixels(const std::uint8_t *HWY_RESTRICT pixels, std::size_t count,
                  float scale, float *HWY_RESTRICT values) {
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(pixels[i]) * scale;
}

} // namespace popscope::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace popscope::host {

HWY_EXPORT(scaledPixels);

void scalePixels(const std::uint8_t *pixels, std::size_t count, float scale,
                 float *values) {
  HWY_DYNAMIC_DISPATCH(scaledPixels)(pixels, count, scale, values);
}

} // namespace popscope::host
#endif
