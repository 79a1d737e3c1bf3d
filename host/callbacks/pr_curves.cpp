#include "host/callbacks/pr_curves.hpp"

#include <algorithm>
#include <utility>

namespace popscope::host {

namespace {

constexpr unsigned kCurves = 10;

// The least multiple of the period that is due at most kCurves times.
unsigned periodOf(unsigned epochs, unsigned period) {
  const unsigned most = kCurves * period;
  return std::max(1u, (epochs + most - 1) / most) * period;
}

} // namespace

PrCurves::PrCurves(const RunDirectory &run, Place place, unsigned epochs,
                   unsigned period, const Dataset &test,
                   const std::vector<std::string> &classNames)
    : run_(run), place_(std::move(place)),
      epochs_(epochs), stagger_{periodOf(epochs, period)}, test_(test) {
  const summary::Tag group("precision_recall");
  for (const std::string &name : classNames)
    tags_.push_back(group / name);
}

bool PrCurves::isDue(Epoch epoch) const {
  return stagger_.isDue(epoch) || epoch.number() == epochs_;
}

void PrCurves::epochEnd(const EpochResult &result) {
  if (!result.testPredictions || !isDue(result.epoch))
    return;
  if (!writer_)
    writer_ = run_.writer(place_.run, place_.firstStep);
  const Predictions &predictions = *result.testPredictions;
  std::vector<std::uint8_t> isOfClass(test_.size());
  std::vector<float> probabilities(test_.size());
  summary::EventBatch batch(
      summary::Step(result.epoch.index() + place_.firstStep));
  for (unsigned c = 0; c < tags_.size(); ++c) {
    for (std::size_t i = 0; i < test_.size(); ++i) {
      isOfClass[i] = test_.labels[i] == c;
      probabilities[i] = predictions.row(i)[c];
    }
    batch.add(tags_[c], summary::prCurve(isOfClass, probabilities));
  }
  writer_->write(batch);
}

} // namespace popscope::host
