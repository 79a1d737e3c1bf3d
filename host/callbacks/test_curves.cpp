#include "host/callbacks/test_curves.hpp"

namespace popscope::host {

TestCurves::TestCurves(std::shared_ptr<summary::EventWriter> writer,
                       Stagger accuracyStagger, const Dataset &test,
                       unsigned classes)
    : writer_(std::move(writer)), accuracyStagger_(accuracyStagger),
      test_(test), metrics_(classes, {}) {}

Wants TestCurves::wants(Epoch) const { return kWantsTestPredictions; }

void TestCurves::epochEnd(const EpochResult &result) {
  metrics_.reset();
  metrics_.add(result.testPredictions->probabilities.data(),
               test_.labels.data(), test_.size());
  const MetricValues values = metrics_.values();
  const summary::Step step(result.epoch.number());
  writer_->scalar(summary::Tag("Loss"), step, float(values[0].value));
  if (accuracyStagger_.isDue(result.epoch))
    writer_->scalar(summary::Tag("Accuracy"), step, float(values[1].value));
}

} // namespace popscope::host
