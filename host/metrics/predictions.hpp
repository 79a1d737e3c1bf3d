// A model's predictions for every image of a data set.
#pragma once

#include "host/metrics/metrics.hpp"

#include <cstddef>
#include <vector>

namespace popscope::host {

struct Predictions {
  unsigned classes = 0;
  std::vector<float> probabilities; // [images, classes]
  // What the softmax was taken of; empty unless the model's programs output it.
  std::vector<float> logits{}; // [images, classes]

  std::size_t size() const { return probabilities.size() / classes; }
  const float *row(std::size_t image) const {
    return probabilities.data() + image * classes;
  }
  unsigned answer(std::size_t image) const {
    return mostLikely(row(image), classes);
  }
};

} // namespace popscope::host
