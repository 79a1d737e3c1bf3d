// Draws many small images on one sheet.
#pragma once

#include "host/data/dataset.hpp"
#include "host/metrics/predictions.hpp"
#include "summary/values/image.hpp"

#include <cstddef>

namespace popscope::host {

// The first rows * columns images of a set, or fewer if it has fewer. With
// predictions, each image is labelled with the predicted class, in green if it
// is right and in red if not.
summary::Image drawDigitSheet(const Dataset &set, std::size_t rows,
                              std::size_t columns,
                              const Predictions *predictions = nullptr);

// The probabilities of the first images: a row for each image and a column for
// each class, darker for a higher probability, with the predicted class
// marked.
summary::Image drawModelOutput(const Predictions &predictions,
                               std::size_t images);

} // namespace popscope::host
