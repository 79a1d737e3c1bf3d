// Loss and accuracy on the test set, as curves.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "summary/event_writer.hpp"

#include <memory>

namespace popscope::host {

// Writes Loss every epoch and Accuracy when it is due. Steps count from 1.
class TestCurves : public Callback {
public:
  // The set outlives the callback.
  TestCurves(std::shared_ptr<summary::EventWriter> writer,
             Stagger accuracyStagger, const Dataset &test, unsigned classes);

  std::string name() const override { return "test curves"; }
  Wants wants(Epoch epoch) const override;
  void epochEnd(const EpochResult &result) override;

private:
  const std::shared_ptr<summary::EventWriter> writer_;
  const Stagger accuracyStagger_;
  const Dataset &test_;
  MetricSet metrics_;
};

} // namespace popscope::host
