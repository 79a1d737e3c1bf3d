// Logs the learning rate that each epoch was trained with.
#pragma once

#include "host/callbacks/callback.hpp"
#include "summary/event_writer.hpp"

#include <memory>

namespace popscope::host {

class LearningRateLog : public Callback {
public:
  explicit LearningRateLog(std::shared_ptr<summary::EventWriter> writer)
      : writer_(std::move(writer)) {}

  std::string name() const override { return "learning rate"; }
  void epochEnd(const EpochResult &result) override {
    writer_->scalar(summary::Tag("learning_rate"),
                    summary::Step(result.epoch.index()),
                    float(result.learningRate));
  }

private:
  const std::shared_ptr<summary::EventWriter> writer_;
};

} // namespace popscope::host
