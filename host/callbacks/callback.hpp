// What can be done beside training, at the moments Keras names.
#pragma once

#include "host/counts.hpp"
#include "host/metrics/metrics.hpp"
#include "host/metrics/predictions.hpp"
#include "host/metrics/weight_values.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace popscope::host {

// What a callback can ask to be read from the device when an epoch ends.
struct Wants {
  bool weights = false;
  bool testPredictions = false;
};
constexpr Wants kWantsWeights{true, false};
constexpr Wants kWantsTestPredictions{false, true};

struct EpochResult {
  Epoch epoch{0};
  double learningRate = 0.0;
  MetricValues training;
  MetricValues validation; // empty if there was none
  // Read if any callback wanted them at the end of this epoch.
  std::shared_ptr<const std::vector<WeightValues>> weights;
  std::shared_ptr<const Predictions> testPredictions;
};

// One execution: as many batches as the device ran at once.
struct BatchResult {
  Batches done;          // since the training began
  MetricValues training; // since the epoch began
};

// Runs on the thread of CallbackThread, one call at a time, except wants() and
// wantsBatches(). An exception ends the calls to this callback only.
class Callback {
public:
  virtual ~Callback() = default;
  virtual std::string name() const = 0;

  // Asked on the training thread at any time: they may depend only on what the
  // constructor fixed.
  virtual Wants wants(Epoch /*epoch*/) const { return {}; }
  virtual bool wantsBatches() const { return false; }

  virtual void trainBegin() {}
  virtual void epochBegin(Epoch /*epoch*/) {}
  virtual void batchBegin(Batches /*done*/) {}
  virtual void batchEnd(const BatchResult & /*result*/) {}
  virtual void epochEnd(const EpochResult & /*result*/) {}
  virtual void trainEnd() {}
};

// Every n-th epoch, and the first if asked.
struct Stagger {
  unsigned every = 1;
  bool alsoFirst = false;

  bool isDue(Epoch epoch) const {
    return epoch.number() % every == 0 || (alsoFirst && epoch.index() == 0);
  }
  // In a training of so many epochs.
  bool isEverDue(unsigned epochs) const {
    return every <= epochs || (alsoFirst && epochs > 0);
  }
};

// A callback that has something to do at the end of some epochs only.
class StaggeredCallback : public Callback {
public:
  StaggeredCallback(Stagger stagger, Wants wantsWhenDue)
      : stagger_(stagger), wantsWhenDue_(wantsWhenDue) {}

  Wants wants(Epoch epoch) const final {
    return stagger_.isDue(epoch) ? wantsWhenDue_ : Wants();
  }
  void epochEnd(const EpochResult &result) final {
    if (stagger_.isDue(result.epoch))
      dueEpochEnd(result);
  }

protected:
  virtual void dueEpochEnd(const EpochResult &result) = 0;

private:
  const Stagger stagger_;
  const Wants wantsWhenDue_;
};

} // namespace popscope::host
