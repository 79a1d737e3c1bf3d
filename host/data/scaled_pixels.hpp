// Pixels as a model sees them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace popscope::host {

// Vectorised with Highway, which picks the widest instructions the processor
// has, if the build found it; the values are the same without.
void scalePixels(const std::uint8_t *pixels, std::size_t count, float scale,
                 float *values);

} // namespace popscope::host
