#include "host/train/trainer.hpp"

#include "host/terminal/steady_clock.hpp"

#include <exception>
#include <utility>

namespace popscope::host {

Trainer::Trainer(const TrainingPlan &plan, const TrainerParts &parts,
                 const Checkpoint *from)
    : plan_(plan), parts_(parts), done_(from ? from->done : Batches(0)),
      lastCheckpoint_(steadySeconds()), saved_(done_) {
  if (from)
    parts_.model.restore(from->tensors);
  streams_ = std::make_unique<TrainingStreams>(
      parts_.model, parts_.data.train,
      BatchOrder(parts_.data.train.size(), plan.spec.batchSize, plan.seed),
      done_.value() * plan.replicas, plan.preset.metrics);
  if (from)
    streams_->setMetricStates(from->metricStates);
}

bool Trainer::train(const InterruptGuard &interrupt) {
  parts_.callbacks.trainBegin();
  if (done_ == Batches(0))
    saveCheckpoint(); // so that a kill in the first epoch can be resumed
  const Batches all(std::uint64_t(plan_.epochs) * plan_.batchesPerEpoch);
  bool stopped = false;
  while (done_ < all && !stopped)
    stopped = !trainEpoch(interrupt);
  parts_.progress.clear();
  const bool isWhole = done_ == all && !isSpoilt();
  saveCheckpoint();
  parts_.callbacks.trainEnd();
  return isWhole;
}

Batches Trainer::doneInEpoch() const {
  return Batches(done_.value() % plan_.batchesPerEpoch);
}

bool Trainer::trainEpoch(const InterruptGuard &interrupt) {
  const Epoch epoch(unsigned(done_.value() / plan_.batchesPerEpoch));
  const Batches end(std::uint64_t(epoch.number()) * plan_.batchesPerEpoch);
  const Batches begun = doneInEpoch();
  if (begun == Batches(0))
    streams_->resetMetrics();
  parts_.model.setLearningRate(plan_.schedule.at(epoch.index()));
  parts_.callbacks.epochBegin(epoch);
  parts_.progress.epochBegin(epoch, begun);
  const double start = steadySeconds();
  while (done_ < end) {
    if (mustStop(interrupt))
      return false;
    trainExecution();
    if (isSpoilt())
      return false;
    // The last execution of an epoch counts once its points are told.
    if (done_ < end)
      saveCheckpointIfDue();
    flushIfDue();
  }
  endEpoch(epoch, steadySeconds() - start);
  return !mustStop(interrupt);
}

bool Trainer::mustStop(const InterruptGuard &interrupt) {
  wasInterrupted_ = instances().any(interrupt.isAsked(), "interrupt");
  return instances().any(parts_.report.asksToStop(), "stop") || wasInterrupted_;
}

bool Trainer::isSpoilt() {
  return parts_.observer &&
         instances().ofFirst(parts_.observer->asksToStop(), "spoilt");
}

void Trainer::trainExecution() {
  const bool tellBatches = parts_.callbacks.wantsBatches();
  const double start = steadySeconds();
  if (tellBatches)
    parts_.callbacks.batchBegin(done_);
  const Batches doneBefore = doneInEpoch();
  const Batches execution(plan_.batchesPerExecution);
  const double begun = steadySeconds();
  parts_.model.train();
  const double seconds = steadySeconds() - begun;
  done_ += execution;
  streams_->collect();
  if (parts_.observer) {
    parts_.observer->executionEnd(parts_.model.engine());
    parts_.observer->executionTook(seconds);
  }
  if (tellBatches)
    parts_.callbacks.batchEnd({done_, streams_->metrics()},
                              steadySeconds() - start);
  parts_.progress.executionEnd(doneBefore + execution,
                               [this] { return streams_->metrics(); });
}

void Trainer::endEpoch(Epoch epoch, double seconds) {
  EpochResult result;
  result.epoch = epoch;
  result.updates = done_.value() / plan_.spec.accumulation;
  result.learningRate = double(plan_.schedule.at(epoch.index()));
  result.training = streams_->metrics();
  lastTraining_ = EpochMetrics{epoch, result.training};

  const Preset &preset = plan_.preset;
  const bool validate = preset.validation != ValidationSet::none &&
                        epoch.number() % preset.validationEvery == 0;
  const bool onTest = validate && preset.validation == ValidationSet::test;
  const Wants wants = parts_.callbacks.wants(epoch);
  if (instances().ofFirst(wants.testPredictions || onTest, "wants"))
    result.testPredictions = std::make_shared<const Predictions>(
        parts_.model.predict(parts_.data.test));
  if (validate) {
    result.validation = onTest
                            ? measure(parts_.data.test, *result.testPredictions)
                            : evaluate(parts_.data.validation);
    lastValidation_ = EpochMetrics{epoch, result.validation};
  }
  if (wants.weights)
    result.weights = std::make_shared<const std::vector<WeightValues>>(
        parts_.model.weights());

  parts_.progress.epochEnd(result.training, result.validation);
  if (parts_.observer) {
    parts_.progress.clear();
    parts_.observer->epochEnd(epoch, parts_.out);
  }
  parts_.callbacks.epochEnd(std::move(result), seconds);
  parts_.report.checkStandardOutput(parts_.out);
  saveCheckpointIfDue();
}

MetricValues Trainer::measure(const Dataset &set,
                              const Predictions &predictions) {
  if (!instances().slice().isFirst())
    return {};
  MetricSet metrics(parts_.model.classes(), plan_.preset.metrics);
  metrics.add(predictions.probabilities.data(), set.labels.data(), set.size());
  return metrics.values();
}

MetricValues Trainer::evaluate(const Dataset &set) {
  return measure(set, parts_.model.predict(set));
}

// A writer flushes when it writes; nothing may follow for long.
void Trainer::flushIfDue() {
  constexpr double kFlushEvery = 1; // seconds
  const double now = steadySeconds();
  if (!parts_.run || now - lastFlush_ < kFlushEvery)
    return;
  lastFlush_ = now;
  parts_.run->flush();
}

void Trainer::saveCheckpointIfDue() {
  const double elapsed = steadySeconds() - lastCheckpoint_;
  if (instances().ofFirst(elapsed >= parts_.checkpointSeconds, "checkpoint"))
    saveCheckpoint();
}

void Trainer::saveCheckpoint() {
  // First what it goes on from: a point that is not in a file by now would be
  // missing for ever, if this is resumed.
  parts_.callbacks.wait();
  if (parts_.run)
    parts_.run->flush();
  std::vector<outfeed::EpochTable::SavedRow> table;
  if (parts_.observer) {
    table = parts_.observer->epochSoFar();
    if (isSpoilt())
      return; // the last one is better
    if (parts_.run && parts_.observer->hasAlarm())
      keepCheckpoint(parts_.run->checkpoint(),
                     parts_.run->path() / kGoodCheckpointFolder);
  }
  std::vector<SavedTensor> tensors = parts_.model.save();
  if (parts_.run)
    writeCheckpointOf(std::move(tensors), std::move(table));
  lastCheckpoint_ = steadySeconds();
}

void Trainer::writeCheckpointOf(
    std::vector<SavedTensor> tensors,
    std::vector<outfeed::EpochTable::SavedRow> table) {
  summary::WriteReport report;
  report.what = parts_.run->checkpoint().string();
  try {
    writeCheckpoint(parts_.run->checkpoint(),
                    {plan_.describe(), done_, streams_->metricStates(),
                     std::move(tensors), std::move(table)});
    saved_ = done_;
    if (parts_.checkpointed)
      parts_.checkpointed(done_);
  } catch (const std::exception &error) {
    report.error = "the last checkpoint was not written: " + reasonOf(error);
    report.firstLost =
        summary::Step(std::int64_t(saved_.value() / plan_.batchesPerEpoch + 1));
  }
  // One that is written makes up for those that were not.
  parts_.report.update(report, StepsAre::epochs);
}

} // namespace popscope::host
