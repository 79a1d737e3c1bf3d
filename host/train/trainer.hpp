// Runs the executions and epochs of a training, and tells the callbacks.
#pragma once

#include "host/callbacks/callback_thread.hpp"
#include "host/counts.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/run_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/train/model/model_engine.hpp"
#include "host/train/model/training_observer.hpp"
#include "host/train/model/training_streams.hpp"
#include "host/train/state/checkpoint.hpp"
#include "host/train/training_progress.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

namespace popscope::host {

// What a trainer works with; all outlive it.
struct TrainerParts {
  ModelEngine &model;
  const TrainingData &data;
  RunReport &report;
  const RunDirectory *run; // null unless this is the first instance
  CallbackThread &callbacks;
  TrainingProgress &progress;
  TrainingObserver *observer = nullptr;
  std::ostream &out;
  // Called after each checkpoint that is written.
  std::function<void(Batches done)> checkpointed;
  // From one checkpoint to the next, at least; the next comes after the
  // execution in which they pass.
  double checkpointSeconds = 10.0;
};

struct EpochMetrics {
  Epoch epoch;
  MetricValues values;
};

// All instances of a training have one, and call the same functions.
class Trainer {
public:
  // Continues from the checkpoint, if there is one; its plan is equal.
  Trainer(const TrainingPlan &plan, const TrainerParts &parts,
          const Checkpoint *from = nullptr);

  // Trains all epochs, or until an instance is asked to stop, by a signal or by
  // the run's report; returns false if stopped. There is a checkpoint from the
  // first batch on, and the last one has everything. If the observer asks it to
  // stop it ends with that execution, without the end of its epoch, and the
  // last checkpoint stays.
  bool train(const InterruptGuard &interrupt);

  // Whether a signal, to any instance, asked for it; once it has stopped.
  bool wasInterrupted() const { return wasInterrupted_; }

  // Loss first; the data set's labels are below the model's classes. Empty
  // unless this is the first instance.
  MetricValues evaluate(const Dataset &set);

  Batches done() const { return done_; } // since the training began
  // Of the last epoch that this start completed or validated, if any.
  const std::optional<EpochMetrics> &lastTraining() const {
    return lastTraining_;
  }
  const std::optional<EpochMetrics> &lastValidation() const {
    return lastValidation_;
  }

private:
  Batches doneInEpoch() const;
  bool trainEpoch(const InterruptGuard &interrupt);
  void trainExecution();
  void endEpoch(Epoch epoch, double seconds);
  MetricValues measure(const Dataset &set, const Predictions &predictions);
  bool mustStop(const InterruptGuard &interrupt);
  bool isSpoilt(); // what the first instance's observer says
  outfeed::Instances &instances() const { return parts_.model.instances(); }
  void flushIfDue();
  void saveCheckpointIfDue();
  void saveCheckpoint();
  void writeCheckpointOf(std::vector<SavedTensor> tensors,
                         std::vector<outfeed::EpochTable::SavedRow> table);

  const TrainingPlan &plan_;
  const TrainerParts parts_;
  std::unique_ptr<TrainingStreams> streams_;
  Batches done_; // since the training began
  double lastCheckpoint_ = 0.0;
  double lastFlush_ = 0.0;
  bool wasInterrupted_ = false;
  Batches saved_; // in the last checkpoint that was written
  std::optional<EpochMetrics> lastTraining_, lastValidation_;
};

} // namespace popscope::host
