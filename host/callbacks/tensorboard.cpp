#include "host/callbacks/tensorboard.hpp"

#include "host/graph_page/node_costs.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

constexpr char kValidation[] = "validation";
constexpr char kVsIterations[] = "_vs_iterations";

bool isVsIterations(const std::string &tag) {
  constexpr std::size_t kLength = sizeof kVsIterations - 1;
  return tag.size() > kLength &&
         tag.compare(tag.size() - kLength, kLength, kVsIterations) == 0;
}

using Points = std::map<std::pair<std::int64_t, std::string>, float>;

// What earlier starts wrote over updates, up to `updates`, and what TensorBoard
// would not show any more once a start at step `firstEpoch` is in the log: it
// discards every point at that step and later, and these steps count something
// else. All of it is there to be found, even if a start was killed before it
// had written it again.
Points hiddenPoints(std::uint64_t updates, Epoch firstEpoch,
                    const fs::path &directory) {
  Points all, shown;
  summary::RunReader reader(directory);
  while (const auto event = reader.next()) {
    if (event->kind == summary::EventKind::sessionLog)
      shown.erase(shown.lower_bound({event->step, ""}), shown.end());
    for (summary::ValueCursor values(*event);
         const auto value = values.next();) {
      const std::string tag(value->tag);
      const auto scalar = summary::decodeScalar(*value);
      if (scalar && isVsIterations(tag) && event->step <= std::int64_t(updates))
        all[{event->step, tag}] = shown[{event->step, tag}] = float(*scalar);
    }
  }
  shown.erase(shown.lower_bound({firstEpoch.index(), ""}), shown.end());
  for (const auto &point : shown)
    all.erase(point.first);
  return all;
}

void writeMetrics(summary::EventWriter &writer, Epoch epoch,
                  const MetricValues &metrics) {
  for (const Metric &metric : metrics)
    writer.scalar(summary::Tag("epoch_" + metric.name),
                  summary::Step(epoch.index()), float(metric.value));
}

} // namespace

TensorBoard::TensorBoard(const RunDirectory &run, TrainingPage page,
                         Stagger histograms, std::uint64_t updatesBefore)
    : run_(run), page_(std::move(page)), histograms_(histograms),
      updatesBefore_(updatesBefore), train_(run.writer("train")) {
  std::error_code none;
  if (run.isResumed() && fs::is_directory(run.path() / kValidation, none))
    openValidation();
}

Wants TensorBoard::wants(Epoch epoch) const {
  return histograms_.isDue(epoch) ? kWantsWeights : Wants();
}

void TensorBoard::trainBegin() {
  // A later start finds it in the file of the first; one from the first epoch
  // discards all that is there.
  if (run_.isResumed() && run_.firstEpoch() != Epoch(0))
    return;
  train_->graph(page_.operations);
  train_->layers(page_.layers);
  if (!page_.costs.nodes.empty())
    train_->profile(kProfileName, summary::Step(0), page_.costs);
}

void TensorBoard::epochEnd(const EpochResult &result) {
  writeMetrics(*train_, result.epoch, result.training);
  train_->scalar(summary::Tag("epoch_learning_rate"),
                 summary::Step(result.epoch.index()),
                 float(result.learningRate));
  if (!result.validation.empty())
    writeValidation(result);
  if (histograms_.isDue(result.epoch))
    for (const WeightValues &weight : *result.weights)
      train_->histogram(summary::Tag(weight.name + "/histogram"),
                        summary::Step(result.epoch.index()), weight.values);
}

// A resumed run may have points that come again, or that no epoch comes to any
// more: they have to go, whether this start validates or not.
void TensorBoard::openValidation() {
  std::error_code none;
  const fs::path directory = run_.path() / kValidation;
  const Points earlier =
      run_.isResumed() && fs::is_directory(directory, none)
          ? hiddenPoints(updatesBefore_, run_.firstEpoch(), directory)
          : Points();
  validation_ = run_.writer(kValidation);
  for (const auto &[at, value] : earlier)
    validation_->scalar(summary::Tag(at.second), summary::Step(at.first),
                        value);
}

void TensorBoard::writeValidation(const EpochResult &result) {
  if (!validation_)
    openValidation();
  writeMetrics(*validation_, result.epoch, result.validation);
  for (const Metric &metric : result.validation)
    validation_->scalar(
        summary::Tag("evaluation_" + metric.name + kVsIterations),
        summary::Step(std::int64_t(result.updates)), float(metric.value));
  // So that the first record of a lost write is one that counts epochs, which
  // the report of losses names. A failure is kept, and reported like any other.
  (void)validation_->flush();
}

} // namespace popscope::host
