// Test images with the model's answers drawn on them, and its output as a heat
// map.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "summary/event_writer.hpp"

#include <memory>

namespace popscope::host {

// Writes `Training Data` at step 0, then `Step N Accuracy Testsheet` and
// `Model Output` when due. Steps count from 1.
class TestSheet : public StaggeredCallback {
public:
  // The data outlive the callback.
  TestSheet(std::shared_ptr<summary::EventWriter> writer, Stagger stagger,
            const TrainingData &data);

  std::string name() const override { return "test sheet"; }
  void trainBegin() override;

protected:
  void dueEpochEnd(const EpochResult &result) override;

private:
  const std::shared_ptr<summary::EventWriter> writer_;
  const TrainingData &data_;
};

} // namespace popscope::host
