// The area under the ROC curve as Keras computes it.
#pragma once

#include <array>
#include <cstddef>

namespace popscope::host {

// Predictions fall into buckets between 200 evenly spaced thresholds, and the
// curve through the thresholds is integrated by trapezoids; the result differs
// a little from the exact area. Several classes count as one long list of
// yes-or-no answers.
class Auc {
public:
  static constexpr std::size_t kThresholds = 200;

  // Predictions outside 0..1 count as the nearer end; NaN counts as 0.
  void add(float prediction, bool isTrue);
  // 0 unless there were both true and false answers.
  double value() const;

  using Counts = std::array<double, kThresholds - 1>;
  struct State {
    Counts trueAnswers{};
    Counts falseAnswers{};
  };
  const State &state() const { return state_; }
  void setState(const State &state) { state_ = state; }

private:
  State state_; // by bucket
};

} // namespace popscope::host
