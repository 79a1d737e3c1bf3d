// Everything between the taps of a training and those who look at them.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "host/plan/training_plan.hpp"
#include "host/record/health_record.hpp"
#include "host/run/run_report.hpp"
#include "host/train/model/training_observer.hpp"
#include "host/train/watch/training_checks.hpp"
#include "host/train/watch/training_cost.hpp"
#include "outfeed/sinks/bad_tensor_dump.hpp"
#include "outfeed/sinks/epoch_table.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/sinks/health_count.hpp"
#include "outfeed/sinks/watch_table.hpp"
#include "outfeed/tap_session.hpp"
#include "text/terminal.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host {

// The preset's rules, then those of --tap. Throws BadInput naming the rule that
// cannot be understood.
std::vector<outfeed::TapRule> inspectionRules(const Preset &preset,
                                              const TrainOptions &options);

// A line, with the nearest names, for each tap of the preset that finds none of
// the plan's tensors.
std::vector<std::string> unmatchedTaps(const Preset &preset,
                                       const outfeed::TapPlan &plan);

outfeed::TapOptions tapOptions(const TrainOptions &options,
                               const TrainingPlan &plan);

// In the first instance, or the only one, it has all samples of all instances.
// In the others it only sends them there, and keeps whole tensors.

class Inspection : public TrainingObserver {
public:
  // Dumps go below `runDirectory`, which need not exist before the first run,
  // statistics to the writer that `log` returns, those of the flight recorder
  // to that of `recorderLog`. `instances` and `report` outlive this.
  Inspection(const TrainOptions &options, const TrainingPlan &plan,
             const std::string &runDirectory, outfeed::Instances &instances,
             outfeed::EventSink::WriterSource log, RunReport &report,
             outfeed::EventSink::WriterSource recorderLog = {});

  // Whether anything is watched, or may be changed.
  bool isWanted() const {
    return isHealthWatched_ || session_.plan().hasRules() ||
           session_.program().interventions().isWanted();
  }

  graph::TapObserver &taps() override { return session_; }
  // Throws BadInput if a rule of --tap, or a filter of another option, matched
  // no tensor.
  void connect(poplar::Engine &engine) override;
  // With the engine loaded: so many weight updates were made by an earlier
  // start, which had this in its table.
  void resumeAt(poplar::Engine &engine, outfeed::Update update,
                const std::vector<outfeed::EpochTable::SavedRow> &table);
  // What the weights hold before the first update, if they were restored.
  void setBefore(const std::string &name, const outfeed::TensorHealth &health) {
    session_.setBefore(name, health);
  }
  // An earlier start has told of the first tensor of the run that was not
  // finite: that stays. With --on-alarm stop this start tells of its own first
  // one, and stops.
  void keepAlarm(EarlierAlarm alarm);
  // After resumeAt: does again what was done to tensors from there on. Throws
  // BadInput if that is not compiled in.
  void repeat(const std::vector<outfeed::Intervention> &earlier);
  // Called from another thread when a tensor is not finite, a check has found
  // something, or an intervention begins or ends.
  void onAlarm(std::function<void(const HealthRecord &)> listener);
  bool asksToStop() const override {
    return asksToStop_ || checks_.askToStop();
  }
  bool hasAlarm() const override { return session_.verdict().has_value(); }
  // What asked for it, in words; after the last run.
  std::string stopCause() const {
    return asksToStop_ ? "--on-alarm stop" : checks_.stopCause();
  }
  // Once the run has begun: lets popscope control turn taps on and off, through
  // a socket in the run's directory.
  void listen(const std::string &runDirectory);
  // From connect on; null if there is nothing to control.
  outfeed::TapControl *control() { return session_.control(); }
  // Lets the first instance have the samples of all, and reads the flight
  // recorder if it has stopped. If an alarm or a check may stop the training,
  // asksToStop() then knows of the whole execution.
  void executionEnd(poplar::Engine &engine) override;
  // Between runs, by all instances: all that the flight recorder has.
  void collectRecorded(poplar::Engine &engine) {
    session_.collectRecorded(engine);
  }
  // Between runs and after the last.
  HealthRecord health() const;

  void epochEnd(Epoch epoch, std::ostream &out) override;
  std::vector<outfeed::EpochTable::SavedRow> epochSoFar() override;

  // A line for each rule of the preset that matched no tensor, and for each
  // rule or fault that is due at no update of the training.
  std::vector<std::string> withoutEffect() const;

  // All that are tapped, once the graph is built.
  const std::deque<outfeed::Tap> &tapped() const {
    return session_.plan().taps();
  }
  // All that could be.
  const std::vector<outfeed::TensorTraits> &tensors() const {
    return session_.plan().tensors();
  }
  // What each tapped tensor had; between runs, or after the last.
  std::vector<outfeed::HealthCount::Row> badCounts() const {
    return counts_->rows();
  }

  // With --watch: the tensors as they are now, above a progress bar in a
  // terminal of this size. At any time.
  std::vector<std::string> watchLines(text::TerminalSize size) const;

  void executionTook(double seconds) override {
    if (isFirst_)
      cost_.executionTook(seconds);
  }
  // What watching costs; before finish.
  TrainingCost &cost() { return cost_; }

  // After the last run: closes all files, prints the table of --watch in lines
  // of at most `columns`, and reports what was lost.
  void finish(std::ostream &out, std::size_t columns);

private:
  void addSinks(const TrainOptions &options, const TrainingPlan &plan,
                outfeed::EventSink::WriterSource log,
                outfeed::EventSink::WriterSource recorderLog);
  class Alarm; // a sink that waits for the verdict and for conditions
  void takeVerdict(const outfeed::Verdict &verdict);
  void takeChange(const outfeed::ControlNote &note);
  // Says the first one of each rule.
  void takeFiring(const outfeed::Firing &firing);
  HealthRecord recordOf(std::optional<outfeed::Verdict> verdict) const;

  void requireIntended() const; // that there are such tensors

  // Of the taps themselves; nothing if `error` is empty.
  void reportLoss(const char *what, const std::string &error,
                  std::uint64_t records = 0);

  RunReport &report_;
  outfeed::Instances &instances_;
  const bool isFirst_; // of the instances
  const bool isHealthWatched_;
  const OnAlarm policy_;
  std::atomic<bool> asksToStop_{false};
  std::optional<EarlierAlarm> earlierAlarm_;
  std::function<void(const HealthRecord &)> onAlarm_;
  const Preset preset_;
  const std::string runDirectory_;
  const std::vector<outfeed::TensorFilter> infinitiesIntended_;
  std::vector<outfeed::Injection> faults_;
  TrainingChecks checks_;
  outfeed::TapSession session_;
  TrainingCost cost_;              // of the session
  const std::uint32_t updates_;    // of the whole training
  outfeed::Update firstUpdate_{0}; // of this start
  // If there is no control.
  std::vector<outfeed::Intervention> earlierInterventions_;
  outfeed::BadTensorDump *dump_ = nullptr;    // the session's
  outfeed::HealthCount *counts_ = nullptr;    // likewise
  outfeed::EpochTable *epochTable_ = nullptr; // the session's
  outfeed::WatchTable *watchTable_ = nullptr; // likewise
  std::set<std::size_t> fired_;               // rules
  unsigned firstTable_ = 0; // the epoch that prints the first table
};

} // namespace popscope::host
