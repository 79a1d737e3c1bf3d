// Draws a confusion matrix.
#pragma once

#include "host/metrics/confusion_matrix.hpp"
#include "summary/values/image.hpp"

#include <string>
#include <vector>

namespace popscope::host {

// Shares of each label with two decimals, class names on both axes, a title
// and a colour bar; white text on dark cells.
summary::Image drawConfusionMatrix(const ConfusionMatrix &matrix,
                                   const std::vector<std::string> &classNames);

} // namespace popscope::host
