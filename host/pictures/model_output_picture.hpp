// Draws what a model says of some images: a row for each image and a column
// for each class.
#pragma once

#include "host/metrics/predictions.hpp"
#include "summary/values/image.hpp"

#include <cstddef>
#include <vector>

namespace popscope::host {

// Where the cells are, in both pictures.
struct ModelOutputGeometry {
  static constexpr unsigned kLeft = 64; // of the first column
  static constexpr unsigned kTop = 60;  // of the first row
  static constexpr unsigned kCellWidth = 32;
  static constexpr unsigned kCellHeight = 18;
};

// The logits of the first `images` images, or of all if there are fewer: from
// red, as negative as the largest of them is large, over white at 0 to blue,
// and a bar with this scale. Beside each row is the true label, in red and bold
// if the model says another. The predictions have logits.
summary::Image drawLogits(const Predictions &predictions,
                          const std::vector<unsigned> &labels,
                          std::size_t images);

// The class of the largest output of each row: its cell has its number, on
// green if it is right and on red if not; then the cell of the true label has a
// frame. Of the size of drawLogits.
summary::Image drawAnswers(const Predictions &predictions,
                           const std::vector<unsigned> &labels,
                           std::size_t images);

} // namespace popscope::host
