// Draws a confusion matrix.
#pragma once

#include "host/metrics/confusion_matrix.hpp"
#include "summary/values/image.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// A cell's colour is its number of images, from the least in light blue to the
// most in dark blue, and a bar has this scale. Its text is the share of its
// label's images with two decimals, in white if it has more than half of the
// most images. Class names are on both axes.
summary::Image drawConfusionMatrix(const ConfusionMatrix &matrix,
                                   const std::vector<std::string> &classNames);

} // namespace popscope::host
