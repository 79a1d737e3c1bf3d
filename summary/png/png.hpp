// Pixels to PNG.
#pragma once

#include "summary/values/image.hpp"

#include <string>

namespace popscope::summary {

// A PNG file with eight bits per channel. Throws std::invalid_argument if the
// width or height is zero or above 2^31-1.
std::string encodePng(const ImageView &image);

} // namespace popscope::summary
