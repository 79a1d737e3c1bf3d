// What watching costs a training: measured, told, and kept within a budget.
#pragma once

#include "host/plan/options/inspection_options.hpp"
#include "host/plan/training_plan.hpp"
#include "host/record/watch_cost.hpp"
#include "host/train/model/model_engine.hpp"
#include "host/train/watch/watch_budget.hpp"
#include "outfeed/tap_session.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// All calls come from the training thread.
class TrainingCost {
public:
  // The session, whose first rules are those of checks, outlives this.
  TrainingCost(const InspectionOptions &options, const TrainingPlan &plan,
               outfeed::TapSession &session, std::size_t rulesOfChecks);

  // Whether the user asked for something that is worth a table.
  bool isWanted() const { return isWanted_; }

  void resumeAt(outfeed::Update update) { firstUpdate_ = update.value(); }
  // After each execution, which has taken so long: with a budget, decides what
  // is due in the next.
  void executionTook(double seconds);

  // After the last execution, unless there is a budget: runs some more, with
  // rules on and off, and restores the state of the model. Nothing that was
  // watched is lost or added. Too short a training is not measured.
  void rehearse(ModelEngine &model, const std::function<bool()> &mustStop);

  // Before the session is closed.
  WatchCost result();

private:
  void beginBudget();
  void setSchedules();
  std::vector<std::size_t> rulesToRehearse() const;
  WatchCost::Row rowOf(std::size_t rule) const;

  outfeed::TapSession &session_;
  const std::size_t rulesOfChecks_;
  const bool isWanted_;
  const std::optional<double> share_; // of the budget
  const unsigned updatesPerExecution_;
  std::uint64_t firstUpdate_ = 0, updates_ = 0; // of this start
  std::optional<WatchBudget> budget_;
  std::vector<std::size_t> thinned_; // rules of the budget
  std::vector<std::uint32_t> every_; // of these, as they are set
  bool isNoted_ = false;             // what the budget has decided
  outfeed::TapTraffic traffic_;
  // By rule, of an average update; nothing if it was not measured.
  std::vector<std::optional<MeasuredShare>> times_;
  std::string timing_;
};

} // namespace popscope::host
