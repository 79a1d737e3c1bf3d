// A picture of the confusion matrix on the test set.
#pragma once

#include "host/callbacks/callback.hpp"
#include "host/data/dataset.hpp"
#include "summary/event_writer.hpp"

#include <memory>
#include <string>
#include <vector>

namespace popscope::host {

class ConfusionMatrixImage : public StaggeredCallback {
public:
  // The set outlives the callback.
  ConfusionMatrixImage(std::shared_ptr<summary::EventWriter> writer,
                       Stagger stagger, const Dataset &test,
                       std::vector<std::string> classNames);

  std::string name() const override { return "confusion matrix"; }

protected:
  void dueEpochEnd(const EpochResult &result) override;

private:
  const std::shared_ptr<summary::EventWriter> writer_;
  const Dataset &test_;
  const std::vector<std::string> classNames_;
};

} // namespace popscope::host
