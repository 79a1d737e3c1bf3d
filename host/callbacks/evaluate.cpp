#include "host/callbacks/evaluate.hpp"

namespace popscope::host {

Evaluate::Evaluate(std::shared_ptr<summary::EventWriter> writer,
                   Stagger stagger, const Dataset &test,
                   const MetricSet &metrics)
    : StaggeredCallback(stagger, kWantsTestPredictions),
      writer_(std::move(writer)), test_(test), metrics_(metrics) {}

void Evaluate::dueEpochEnd(const EpochResult &result) {
  metrics_.reset();
  metrics_.add(result.testPredictions->probabilities.data(),
               test_.labels.data(), test_.size());
  for (const Metric &metric : metrics_.values())
    writer_->scalar(summary::Tag("evaluation_" + metric.name),
                    summary::Step(result.epoch.index()), float(metric.value));
}

} // namespace popscope::host
