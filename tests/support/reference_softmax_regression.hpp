// Softmax regression in double precision, written to be read.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

namespace popscope::tests {

struct Batch {
  std::size_t pixels = 0;
  std::vector<float> images;    // [labels.size(), pixels]
  std::vector<unsigned> labels; // below classes
};

class ReferenceSoftmaxRegression {
public:
  // weights is [classes, pixels + 1], the bias last.
  ReferenceSoftmaxRegression(std::size_t classes, std::vector<double> weights)
      : classes_(classes), weights_(std::move(weights)) {}

  std::vector<double> logits(const Batch &batch, std::size_t image) const {
    std::vector<double> result(classes_);
    for (std::size_t c = 0; c < classes_; ++c) {
      const double *row = &weights_[c * (batch.pixels + 1)];
      result[c] = row[batch.pixels];
      for (std::size_t i = 0; i < batch.pixels; ++i)
        result[c] += row[i] * double(batch.images[image * batch.pixels + i]);
    }
    return result;
  }

  double loss(const Batch &batch, std::size_t image) const {
    const std::vector<double> scores = logits(batch, image);
    double sum = 0.0;
    for (const double score : scores)
      sum += std::exp(score);
    return std::log(sum) - scores[batch.labels[image]];
  }

  double meanLoss(const Batch &batch) const {
    double sum = 0.0;
    for (std::size_t image = 0; image < batch.labels.size(); ++image)
      sum += loss(batch, image);
    return sum / double(batch.labels.size());
  }

  // Central difference of meanLoss with respect to one weight.
  double gradient(const Batch &batch, std::size_t weight) const {
    constexpr double kStep = 1e-5;
    ReferenceSoftmaxRegression up = *this, down = *this;
    up.weights_[weight] += kStep;
    down.weights_[weight] -= kStep;
    return (up.meanLoss(batch) - down.meanLoss(batch)) / (2 * kStep);
  }

private:
  std::size_t classes_;
  std::vector<double> weights_;
};

} // namespace popscope::tests
