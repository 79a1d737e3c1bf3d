#include "host/metrics/metrics.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace popscope::host {

namespace {

// Keras keeps probabilities this far from 0 before it takes their logarithm.
constexpr float kEpsilon = 1e-7f;

// A class is among the top k if fewer than k others are strictly likelier.
bool isInTop(unsigned k, const float *probabilities, unsigned classes,
             unsigned label) {
  const float own = probabilities[label];
  const auto likelier =
      std::count_if(probabilities, probabilities + classes,
                    [own](float other) { return other > own; });
  return std::isfinite(own) && unsigned(likelier) < k;
}

} // namespace

unsigned mostLikely(const float *probabilities, unsigned classes) {
  return unsigned(std::max_element(probabilities, probabilities + classes) -
                  probabilities);
}

void MetricSet::add(const float *probabilities, const unsigned *labels,
                    std::size_t count, const float *losses) {
  for (std::size_t i = 0; i < count; ++i) {
    const float *row = probabilities + i * classes_;
    const unsigned label = labels[i];
    loss_ +=
        double(losses ? losses[i] : -std::log(std::max(row[label], kEpsilon)));
    right_ += mostLikely(row, classes_) == label;
    if (choice_.topK)
      nearlyRight_ += isInTop(choice_.topK, row, classes_, label);
    if (choice_.auc)
      for (unsigned c = 0; c < classes_; ++c)
        auc_.add(row[c], c == label);
  }
  count_ += double(count);
}

MetricValues MetricSet::values() const {
  const double count = std::max(count_, 1.0);
  MetricValues values{{"loss", loss_ / count}, {"accuracy", right_ / count}};
  if (choice_.auc)
    values.push_back({"auc", auc_.value()});
  if (choice_.topK)
    values.push_back({"top_k_categorical_accuracy", nearlyRight_ / count});
  return values;
}

void MetricSet::merge(const MetricSet &other) {
  std::vector<double> sums = state();
  const std::vector<double> more = other.state();
  std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(),
                 std::plus<>());
  setState(sums);
}

void MetricSet::reset() {
  count_ = loss_ = right_ = nearlyRight_ = 0.0;
  auc_ = Auc();
}

std::vector<double> MetricSet::state() const {
  std::vector<double> state{count_, loss_, right_, nearlyRight_};
  const Auc::State &auc = auc_.state();
  state.insert(state.end(), auc.trueAnswers.begin(), auc.trueAnswers.end());
  state.insert(state.end(), auc.falseAnswers.begin(), auc.falseAnswers.end());
  return state;
}

void MetricSet::setState(const std::vector<double> &state) {
  Auc::State auc;
  constexpr std::ptrdiff_t kPlain = 4;
  const auto buckets = std::ptrdiff_t(auc.trueAnswers.size());
  if (state.size() != std::size_t(kPlain + 2 * buckets))
    throw std::invalid_argument("[host] state of another set of metrics");
  count_ = state[0];
  loss_ = state[1];
  right_ = state[2];
  nearlyRight_ = state[3];
  const auto counts = state.begin() + kPlain;
  std::copy_n(counts, buckets, auc.trueAnswers.begin());
  std::copy_n(counts + buckets, buckets, auc.falseAnswers.begin());
  auc_.setState(auc);
}

} // namespace popscope::host
