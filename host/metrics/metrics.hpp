// How good a model's answers are: loss, accuracy, top-k, AUC.
#pragma once

#include "host/metrics/auc.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace popscope::host {

struct Metric {
  std::string name; // as Keras calls it
  double value;
};
using MetricValues = std::vector<Metric>; // the loss first

// What is measured besides loss and accuracy.
struct MetricChoice {
  bool auc = false;
  unsigned topK = 0; // 0: not measured
};

// Averages over all predictions added since the last reset.
class MetricSet {
public:
  MetricSet(unsigned classes, MetricChoice choice)
      : classes_(classes), choice_(choice) {}

  // [count, classes] probabilities, [count] labels below `classes`, and [count]
  // losses; without losses, computes the cross entropy.
  void add(const float *probabilities, const unsigned *labels,
           std::size_t count, const float *losses = nullptr);
  // Adds everything that was added to `other`, which measures the same.
  void merge(const MetricSet &other);
  unsigned classes() const { return classes_; }
  // All zero if nothing was added.
  MetricValues values() const;
  void reset();

  // Everything added so far, for a checkpoint. Throws std::invalid_argument if
  // the numbers cannot come from state() of an equal set.
  std::vector<double> state() const;
  void setState(const std::vector<double> &state);

private:
  unsigned classes_;
  MetricChoice choice_;
  double count_ = 0.0;
  double loss_ = 0.0;
  double right_ = 0.0;
  double nearlyRight_ = 0.0; // among the top k
  Auc auc_;
};

// Keras' rule for ties: the first of the largest.
unsigned mostLikely(const float *probabilities, unsigned classes);

} // namespace popscope::host
