// What --checks asks for, during a training.
#pragma once

#include "host/plan/options/train_options.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/run_report.hpp"
#include "outfeed/checks/check_sink.hpp"
#include "outfeed/checks/tap_actions.hpp"

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

class TrainingChecks {
public:
  // Lines that are printed at once; later findings are only in the log.
  static constexpr std::size_t kMostLines = 20;

  // `report` outlives this. Throws BadInput if the file cannot be used.
  TrainingChecks(const TrainOptions &options, const TrainingPlan &plan,
                 RunReport &report);

  bool areWanted() const { return !planned_.empty() || sink_; }
  // The tap rules that give the checks what they need.
  const std::vector<outfeed::TapRule> &taps() const { return taps_; }
  // After the session is connected; without control if it is null.
  void connect(const outfeed::TapPlan &plan, outfeed::TapControl *control);
  // Once, if they are wanted.
  std::unique_ptr<outfeed::SampleSink>
  makeSink(outfeed::Fold fold, outfeed::EventSink::WriterSource log);
  // Before the first sample: goes on with what an earlier start logged.
  void resumeAt(const std::filesystem::path &run, outfeed::Update update);
  // Called at a finding, by the thread that calls the sink.
  void onFinding(std::function<void()> listener) {
    onFinding_ = std::move(listener);
  }

  // Whether one of them has the action `stop`.
  bool mayStop() const { return mayStop_; }
  bool askToStop() const { return asksToStop_; }
  // After the last run: which check asks for it.
  const std::string &stopCause() const { return stopCause_; }
  // Between runs, and from onFinding; absent if there are no checks.
  std::optional<std::vector<outfeed::Finding>> findings() const;
  // After the last run: reports how many were found and what was not checked.
  void finish(const std::filesystem::path &run);

private:
  void found(const outfeed::Finding &finding);
  void act(const outfeed::DueAction &due);
  // Null without --checks, and if nothing is tapped.
  const outfeed::CheckSet *checks() const {
    return sink_ ? sink_->checks() : nullptr;
  }

  RunReport &report_;
  std::vector<outfeed::PlannedCheck> planned_; // until makeSink
  const outfeed::ProgramFacts facts_;
  std::vector<outfeed::TapRule> taps_;
  bool mayStop_ = false;
  outfeed::CheckSink *sink_ = nullptr; // the session's
  std::optional<outfeed::TapActions> actions_;
  std::function<void()> onFinding_;
  std::size_t lines_ = 0;
  std::atomic<bool> asksToStop_{false};
  std::string stopCause_;
};

} // namespace popscope::host
