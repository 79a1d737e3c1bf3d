// Draws the kernels of a convolution as one picture.
#pragma once

#include "host/metrics/weight_values.hpp"
#include "summary/values/image.hpp"

namespace popscope::host {

// A [height, width, in, out] kernel, scaled as a whole to 0..1. Each of its
// in * out planes is a cell of a square grid with one-pixel gaps, in the order
// of the values: all outputs of the first input channel, then of the next.
// Cells at the end are empty unless the number of planes is a square. Throws
// std::invalid_argument for another rank.
summary::Image drawFilters(const WeightValues &kernel);

} // namespace popscope::host
