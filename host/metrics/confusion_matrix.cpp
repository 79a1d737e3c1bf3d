#include "host/metrics/confusion_matrix.hpp"

#include <cmath>
#include <numeric>

namespace popscope::host {

ConfusionMatrix::ConfusionMatrix(const Predictions &predictions,
                                 const std::vector<unsigned> &labels)
    : ConfusionMatrix(predictions.classes) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    add(labels[i], predictions.answer(i));
}

double ConfusionMatrix::share(unsigned label, unsigned answer) const {
  const auto row =
      counts_.begin() + std::ptrdiff_t(label) * std::ptrdiff_t(classes_);
  const std::size_t all =
      std::accumulate(row, row + std::ptrdiff_t(classes_), std::size_t(0));
  if (all == 0)
    return 0.0;
  // To even, as NumPy's around.
  return std::nearbyint(100.0 * double(count(label, answer)) / double(all)) /
         100.0;
}

} // namespace popscope::host
