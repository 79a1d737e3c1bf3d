#include "host/train/trainer.hpp"

#include "host/terminal/steady_clock.hpp"

#include <exception>

namespace popscope::host {

namespace {

// Between checkpoints at the ends of epochs: reading the state costs more than
// a short epoch.
constexpr double kCheckpointSeconds = 10.0;

} // namespace

Trainer::Trainer(const TrainingPlan &plan, const TrainerParts &parts,
                 const Checkpoint *from)
    : plan_(plan), parts_(parts), step_(from ? from->step : 0),
      lastCheckpoint_(steadySeconds()), savedStep_(step_) {
  if (from)
    parts_.model.restore(from->tensors);
  streams_ = std::make_unique<TrainingStreams>(
      parts_.model, parts_.data.train,
      BatchOrder(parts_.data.train.size(), plan.spec.batchSize, plan.seed),
      step_ * plan.replicas, plan.preset.metrics);
  if (from)
    streams_->setMetricStates(from->metricStates);
}

bool Trainer::train(const InterruptGuard &interrupt) {
  parts_.callbacks.trainBegin();
  const std::uint64_t all = std::uint64_t(plan_.epochs) * plan_.stepsPerEpoch;
  bool stopped = false;
  while (step_ < all && !stopped)
    stopped = !trainEpoch(interrupt);
  parts_.progress.clear();
  saveCheckpoint();
  parts_.callbacks.trainEnd();
  return step_ == all;
}

bool Trainer::trainEpoch(const InterruptGuard &interrupt) {
  const auto epoch = unsigned(step_ / plan_.stepsPerEpoch);
  std::size_t done = step_ % plan_.stepsPerEpoch;
  if (done == 0)
    streams_->resetMetrics();
  parts_.model.setLearningRate(plan_.schedule.at(epoch));
  parts_.callbacks.epochBegin(epoch);
  parts_.progress.epochBegin(epoch, done);
  const double start = steadySeconds();
  while (done < plan_.stepsPerEpoch) {
    if (mustStop(interrupt))
      return false;
    done += plan_.stepsPerExecution;
    trainExecution(done);
  }
  endEpoch(epoch, steadySeconds() - start);
  return !mustStop(interrupt);
}

bool Trainer::mustStop(const InterruptGuard &interrupt) const {
  return interrupt.isAsked() || parts_.run.report().asksToStop();
}

void Trainer::trainExecution(std::size_t stepsDone) {
  const bool tellBatches = parts_.callbacks.wantsBatches();
  const double start = tellBatches ? steadySeconds() : 0.0;
  if (tellBatches)
    parts_.callbacks.batchBegin(step_ + 1);
  parts_.model.train();
  step_ += plan_.stepsPerExecution;
  if (tellBatches)
    parts_.callbacks.batchEnd({step_, streams_->metrics()},
                              steadySeconds() - start);
  parts_.progress.step(stepsDone, [this] { return streams_->metrics(); });
}

void Trainer::endEpoch(unsigned epoch, double seconds) {
  EpochResult result;
  result.epoch = epoch;
  result.learningRate = double(plan_.schedule.at(epoch));
  result.training = lastTraining_ = streams_->metrics();

  const Preset &preset = plan_.preset;
  const bool validate = preset.validation != ValidationSet::none &&
                        (epoch + 1) % preset.validationEvery == 0;
  const bool onTest = validate && preset.validation == ValidationSet::test;
  const Wants wants = parts_.callbacks.wants(epoch);
  if (wants.testPredictions || onTest)
    result.testPredictions = std::make_shared<const Predictions>(
        parts_.model.predict(parts_.data.test));
  if (validate)
    result.validation = lastValidation_ =
        onTest ? measure(parts_.data.test, *result.testPredictions)
               : evaluate(parts_.data.validation);
  if (wants.weights)
    result.weights = std::make_shared<const std::vector<WeightValues>>(
        parts_.model.weights());

  parts_.progress.epochEnd(result.training, result.validation);
  if (parts_.observer)
    parts_.observer->epochEnd(epoch, parts_.out);
  parts_.callbacks.epochEnd(std::move(result), seconds);
  parts_.run.report().checkStandardOutput(parts_.out);
  if (steadySeconds() - lastCheckpoint_ > kCheckpointSeconds)
    saveCheckpoint();
}

MetricValues Trainer::measure(const Dataset &set,
                              const Predictions &predictions) {
  MetricSet metrics(parts_.model.classes(), plan_.preset.metrics);
  metrics.add(predictions.probabilities.data(), set.labels.data(), set.size());
  return metrics.values();
}

MetricValues Trainer::evaluate(const Dataset &set) {
  return measure(set, parts_.model.predict(set));
}

void Trainer::saveCheckpoint() {
  summary::WriteReport report;
  report.what = parts_.run.checkpoint().string();
  try {
    writeCheckpoint(
        parts_.run.checkpoint(),
        {plan_.describe(), step_, streams_->metricStates(), parts_.model.save(),
         parts_.observer ? parts_.observer->epochSoFar()
                         : std::vector<outfeed::EpochTable::SavedRow>()});
    savedStep_ = step_;
  } catch (const std::exception &error) {
    report.error = "the last checkpoint was not written: " + reasonOf(error);
    report.firstLost =
        summary::Step(std::int64_t(savedStep_ / plan_.stepsPerEpoch + 1));
  }
  // One that is written makes up for those that were not.
  parts_.run.report().update(report, StepsAre::epochs);
  lastCheckpoint_ = steadySeconds();
}

} // namespace popscope::host
