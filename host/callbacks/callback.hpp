// Work done while training goes on, at the moments that Keras names.
#pragma once

#include "host/counts.hpp"
#include "host/metrics/metrics.hpp"
#include "host/metrics/predictions.hpp"
#include "host/metrics/weight_values.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace popscope::host {

// Data that a callback needs from the device at the end of an epoch.
struct Wants {
  bool weights = false;
  bool testPredictions = false;
};
constexpr Wants kWantsWeights{true, false};
constexpr Wants kWantsTestPredictions{false, true};

struct EpochResult {
  Epoch epoch{0};
  std::uint64_t updates = 0; // of the weights, since the training began
  double learningRate = 0.0;
  MetricValues training;
  MetricValues validation; // empty if there was none
  // Read if any callback wanted them at the end of this epoch.
  std::shared_ptr<const std::vector<WeightValues>> weights;
  std::shared_ptr<const Predictions> testPredictions;
};

// One execution: the batches that the device ran in one engine.run.
struct BatchResult {
  Batches done;          // since the training began
  MetricValues training; // since the epoch began
};

// All functions but wants() and wantsBatches() are called by CallbackThread on
// its thread, one at a time. A callback that throws is not called again; the
// others are.
class Callback {
public:
  virtual ~Callback() = default;
  virtual std::string name() const = 0;

  // Called on the training thread at any time, so they may only read members
  // that never change after construction.
  virtual Wants wants(Epoch /*epoch*/) const { return {}; }
  virtual bool wantsBatches() const { return false; }

  virtual void trainBegin() {}
  virtual void epochBegin(Epoch /*epoch*/) {}
  virtual void batchBegin(Batches /*done*/) {}
  virtual void batchEnd(const BatchResult & /*result*/) {}
  virtual void epochEnd(const EpochResult & /*result*/) {}
  virtual void trainEnd() {}
};

// Every n-th epoch, and also the first if `alsoFirst`; never if `every` is 0.
struct Stagger {
  unsigned every = 1;
  bool alsoFirst = false;

  bool isDue(Epoch epoch) const {
    return every != 0 &&
           (epoch.number() % every == 0 || (alsoFirst && epoch.index() == 0));
  }
  // In a training of `epochs` epochs.
  bool isEverDue(unsigned epochs) const {
    return every != 0 && (every <= epochs || (alsoFirst && epochs > 0));
  }
};

// A callback that acts only at the end of some epochs.
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
