// Many small images on one sheet.
#pragma once

#include "host/data/dataset.hpp"
#include "host/metrics/predictions.hpp"
#include "summary/values/image.hpp"

#include <cstddef>

namespace popscope::host {

// The first rows * columns images of a set, or as many as it has. With
// predictions, each image carries its answer, green if it is right and red if
// not.
summary::Image drawDigitSheet(const Dataset &set, std::size_t rows,
                              std::size_t columns,
                              const Predictions *predictions = nullptr);

// The probabilities of the first images: a row per image, a column per class,
// darker the likelier, with the answer marked.
summary::Image drawModelOutput(const Predictions &predictions,
                               std::size_t images);

} // namespace popscope::host
