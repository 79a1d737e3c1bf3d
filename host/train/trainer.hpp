// Runs the steps and epochs of a training, and tells the callbacks.
#pragma once

#include "host/callbacks/callback_thread.hpp"
#include "host/run/run_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/train/checkpoint.hpp"
#include "host/train/model_engine.hpp"
#include "host/train/training_observer.hpp"
#include "host/train/training_plan.hpp"
#include "host/train/training_progress.hpp"
#include "host/train/training_streams.hpp"

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>

namespace popscope::host {

// What a trainer works with; all outlive it.
struct TrainerParts {
  ModelEngine &model;
  const TrainingData &data;
  const RunDirectory &run;
  CallbackThread &callbacks;
  TrainingProgress &progress;
  TrainingObserver *observer = nullptr;
  std::ostream &out;
};

class Trainer {
public:
  // Goes on from a checkpoint if there is one, of an equal plan.
  Trainer(const TrainingPlan &plan, const TrainerParts &parts,
          const Checkpoint *from = nullptr);

  // Trains all epochs, or until it is asked to stop, by a signal or by the
  // run's report; then what was done is in the checkpoint. False if stopped.
  bool train(const InterruptGuard &interrupt);

  // Loss first; the data set's labels are below the model's classes.
  MetricValues evaluate(const Dataset &set);

  std::uint64_t step() const { return step_; } // steps done, over all epochs
  const MetricValues &lastTraining() const { return lastTraining_; }
  const MetricValues &lastValidation() const { return lastValidation_; }

private:
  bool trainEpoch(const InterruptGuard &interrupt);
  void trainExecution(std::size_t stepsDone);
  void endEpoch(unsigned epoch, double seconds);
  MetricValues measure(const Dataset &set, const Predictions &predictions);
  bool mustStop(const InterruptGuard &interrupt) const;
  void saveCheckpoint();

  const TrainingPlan &plan_;
  const TrainerParts parts_;
  std::unique_ptr<TrainingStreams> streams_;
  std::uint64_t step_ = 0; // steps done, over all epochs
  double lastCheckpoint_ = 0.0;
  std::uint64_t savedStep_ = 0; // of the last checkpoint that was written
  MetricValues lastTraining_, lastValidation_;
};

} // namespace popscope::host
