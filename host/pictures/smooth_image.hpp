// Small images made large without their pixels showing.
#pragma once

#include "host/data/dataset.hpp"
#include "summary/values/image.hpp"

#include <cstddef>
#include <cstdint>

namespace popscope::host {

// Image `i` of the set as a square of `side` grey pixels, dark on white: its
// least pixel is white, its greatest black, and each grey is a Gaussian mean of
// the pixels around, mirrored at the edges. This is matplotlib's imshow with
// cmap="binary" and interpolation="gaussian". `side` is not below the number of
// rows nor of columns.
summary::Image smoothDarkOnWhite(const Dataset &set, std::size_t i,
                                 std::uint32_t side);

} // namespace popscope::host
