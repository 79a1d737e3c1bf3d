// Counts how often images of each class were classified as each class.
#pragma once

#include "host/metrics/predictions.hpp"

#include <cstddef>
#include <vector>

namespace popscope::host {

class ConfusionMatrix {
public:
  explicit ConfusionMatrix(unsigned classes)
      : classes_(classes), counts_(std::size_t(classes) * classes) {}
  // One label for each prediction.
  ConfusionMatrix(const Predictions &predictions,
                  const std::vector<unsigned> &labels);

  void add(unsigned label, unsigned answer) {
    ++counts_[label * classes_ + answer];
  }
  unsigned classes() const { return classes_; }
  std::size_t count(unsigned label, unsigned answer) const {
    return counts_[label * classes_ + answer];
  }
  // The share of a label's images that were given this answer, rounded to two
  // decimals; 0 for a label without images.
  double share(unsigned label, unsigned answer) const;

private:
  unsigned classes_;
  std::vector<std::size_t> counts_; // [label, answer]
};

} // namespace popscope::host
