// Draws many small images on one sheet.
#pragma once

#include "host/data/dataset.hpp"
#include "host/metrics/predictions.hpp"
#include "summary/values/image.hpp"

#include <cstddef>

namespace popscope::host {

// Where image `i` of a sheet is, whatever the number of columns is; the label
// is on its lower left corner.
struct SheetGeometry {
  static constexpr unsigned kImageSide = 48;
  static constexpr unsigned kGap = 10;

  static constexpr unsigned start(std::size_t cell) {
    return kGap + unsigned(cell) * (kImageSide + kGap);
  }
};

// The first rows * columns images of a set, or fewer if it has fewer, dark on
// white and smooth. Each has its label on it in green, or with predictions the
// predicted class: in green if it is right, in red and in a red frame if not.
summary::Image drawDigitSheet(const Dataset &set, std::size_t rows,
                              std::size_t columns,
                              const Predictions *predictions = nullptr);

} // namespace popscope::host
