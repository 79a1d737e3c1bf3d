// Test images with the model's answers drawn on them, and its output as a heat
// map and as answers.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "summary/event_writer.hpp"

#include <memory>

namespace popscope::host {

// Writes `Training Data` at step 0 unless an earlier start did, then `Step N
// Accuracy Testsheet` and the two pictures of `Model Output` when due. Steps
// count from 1.
class TestSheet : public StaggeredCallback {
public:
  // The data outlive the callback, and the predictions have logits.
  // `firstEpoch` is the one in which this start begins.
  TestSheet(std::shared_ptr<summary::EventWriter> writer, Stagger stagger,
            const TrainingData &data, Epoch firstEpoch);

  std::string name() const override { return "test sheet"; }
  void trainBegin() override;

protected:
  void dueEpochEnd(const EpochResult &result) override;

private:
  const std::shared_ptr<summary::EventWriter> writer_;
  const TrainingData &data_;
  const Epoch firstEpoch_;
};

} // namespace popscope::host
