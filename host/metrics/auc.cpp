#include "host/metrics/auc.hpp"

#include <algorithm>
#include <cmath>

namespace popscope::host {

namespace {

double ratio(double part, double whole) {
  return whole == 0.0 ? 0.0 : part / whole;
}

double sum(const Auc::Counts &counts) {
  double total = 0.0;
  for (const double count : counts)
    total += count;
  return total;
}

} // namespace

void Auc::add(float prediction, bool isTrue) {
  // max(0, NaN) is 0 in this order of arguments.
  const float p = std::min(1.0f, std::max(0.0f, prediction));
  const float edge = std::ceil(p * float(kThresholds - 1));
  const auto bucket = std::size_t(std::max(edge - 1.0f, 0.0f));
  (isTrue ? state_.trueAnswers : state_.falseAnswers)[bucket] += 1.0;
}

double Auc::value() const {
  const double allTrue = sum(state_.trueAnswers);
  const double allFalse = sum(state_.falseAnswers);
  // From the highest threshold, where nothing is called positive, down.
  double area = 0.0, truePositive = 0.0;
  for (std::size_t i = kThresholds - 1; i-- > 0;) {
    const double before = truePositive;
    truePositive += state_.trueAnswers[i];
    area += ratio(state_.falseAnswers[i], allFalse) *
            (ratio(before, allTrue) + ratio(truePositive, allTrue)) / 2.0;
  }
  return area;
}

} // namespace popscope::host
