// Measures the model on the test set every few epochs.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "summary/event_writer.hpp"

#include <memory>

namespace popscope::host {

// Writes evaluation_<metric>.
class Evaluate : public StaggeredCallback {
public:
  // The set outlives the callback.
  Evaluate(std::shared_ptr<summary::EventWriter> writer, Stagger stagger,
           const Dataset &test, const MetricSet &metrics);

  std::string name() const override { return "evaluate"; }

protected:
  void dueEpochEnd(const EpochResult &result) override;

private:
  const std::shared_ptr<summary::EventWriter> writer_;
  const Dataset &test_;
  MetricSet metrics_;
};

} // namespace popscope::host
