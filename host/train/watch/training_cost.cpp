#include "host/train/watch/training_cost.hpp"

#include "host/terminal/steady_clock.hpp"
#include "host/train/watch/cost_rehearsal.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <utility>

namespace popscope::host {

namespace {

// Of the updates of a training, as many may be run again to measure.
constexpr double kMostRehearsed = 0.05;

std::string textOf(const outfeed::TapRule &rule) {
  return rule.filter.text() +
         (rule.schedule.isAlways() ? "" : " @ " + rule.schedule.text()) +
         (rule.condition ? " when " + rule.condition->text() : "") + " -> " +
         nameOf(rule.payload) +
         (rule.forUpdates != 0 ? " for " + std::to_string(rule.forUpdates)
                               : "");
}

const char *const kMeaning =
    "Time is what it adds to the training's, right in 19 of 20 cases; < is "
    "what cannot be told from noise. ";

void add(WatchCost::Row &row, const outfeed::Tap &tap,
         const outfeed::TapTraffic &traffic) {
  ++row.tensors;
  row.bytes = row.bytes.value_or(0) + traffic.bytesOf(tap.id);
  row.tileBytes += tap.tileBytes;
  row.cycles = row.cycles.value_or(0) + tap.cycles;
}

} // namespace

TrainingCost::TrainingCost(const InspectionOptions &options,
                           const TrainingPlan &plan,
                           outfeed::TapSession &session,
                           std::size_t rulesOfChecks)
    : session_(session), rulesOfChecks_(rulesOfChecks),
      isWanted_(!options.rules.empty() || options.budget ||
                !options.checks.empty() || options.recorderUpdates != 0),
      share_(options.budget), updatesPerExecution_(plan.spec.updatesPerRun),
      times_(session.plan().rules().size()),
      timing_("Time was not measured: the training was stopped.") {}

void TrainingCost::beginBudget() {
  const auto &rules = session_.plan().rules();
  std::vector<WatchBudget::Rule> thinned;
  thinned_.clear();
  std::uint32_t from = 0;
  for (std::size_t i = rulesOfChecks_; i < rules.size(); ++i) {
    // A condition that is not looked at would miss what it waits for.
    if (rules[i].condition || rules[i].schedule.every == 0 ||
        rowOf(i).tensors == 0)
      continue;
    thinned_.push_back(i);
    every_.push_back(rules[i].schedule.every);
    thinned.push_back({session_.plan().titleOf(i), rules[i].schedule.every});
    from = std::max(from, rules[i].schedule.from);
  }
  if (!thinned.empty() && firstUpdate_ + updates_ >= from)
    budget_.emplace(*share_, std::move(thinned), updatesPerExecution_);
  else
    every_.clear();
}

void TrainingCost::executionTook(double seconds) {
  updates_ += updatesPerExecution_;
  if (!share_ || !session_.control())
    return;
  if (!budget_)
    beginBudget();
  if (!budget_)
    return;
  budget_->took(seconds);
  setSchedules();
  if (budget_->isSettled() && !std::exchange(isNoted_, true))
    session_.control()->note(budget_->line());
}

void TrainingCost::setSchedules() {
  const std::vector<std::uint32_t> &next = budget_->next();
  for (std::size_t i = 0; i < next.size(); ++i)
    if (std::exchange(every_[i], next[i]) != next[i])
      session_.control()->setEvery(thinned_[i], next[i]);
}

std::vector<std::size_t> TrainingCost::rulesToRehearse() const {
  std::vector<std::size_t> rules;
  for (std::size_t i = 0; i < times_.size(); ++i)
    if (session_.control()->dueShare(i) > 0.0)
      rules.push_back(i);
  return rules;
}

void TrainingCost::rehearse(ModelEngine &model,
                            const std::function<bool()> &mustStop) {
  if (!isWanted_ || share_)
    return;
  if (model.instances().slice().isSplit()) {
    timing_ = "Time was not measured: a training of several instances is not "
              "run again for that.";
    return;
  }
  if (!session_.control()) {
    timing_ = "Time was not measured: rules that cannot be turned off, as with "
              "--no-control, --recorder and --on-alarm dump, cannot be timed.";
    return;
  }
  const std::vector<std::size_t> measured = rulesToRehearse();
  const auto roundsAfter = [&](std::uint64_t updates) {
    return CostRehearsal::roundsIn(
        std::uint64_t(double(updates) * kMostRehearsed), measured.size(),
        updatesPerExecution_);
  };
  const unsigned rounds = roundsAfter(updates_);
  if (rounds < kLeastMeasurements) {
    std::uint64_t enough = updates_;
    while (roundsAfter(enough) < kLeastMeasurements)
      enough += 10;
    timing_ = "Time was not measured: the training was too short. With " +
              std::to_string(measured.size()) +
              (measured.size() == 1 ? " rule" : " rules") + " it takes " +
              text::withThousands(double(enough)) + " updates.";
    return;
  }
  for (const std::size_t rule : measured)
    times_[rule] = MeasuredShare{session_.control()->dueShare(rule), 0.0};
  CostRehearsal rehearsal(times_.size(), measured, updatesPerExecution_, rounds,
                          steadySeconds);
  const std::vector<SavedTensor> state = model.save();
  session_.rehearse([&rehearsal]() -> const std::vector<bool> & {
    return rehearsal.beginUpdate();
  });
  std::uint64_t updates = 0;
  while (!rehearsal.isDone() && !mustStop()) {
    model.train();
    rehearsal.endExecution();
    updates += updatesPerExecution_;
  }
  session_.control()->rehearse({});
  model.restore(state);
  if (!rehearsal.isDone()) {
    times_.assign(times_.size(), std::nullopt);
    return;
  }
  const std::vector<MeasuredShare> costs = rehearsal.costs();
  for (std::size_t i = 0; i < measured.size(); ++i)
    times_[measured[i]] = costs[i].times(times_[measured[i]]->share);
  timing_ = kMeaning + ("Measured in " + std::to_string(updates)) +
            " more updates after the training, of which nothing is kept; what "
            "sinks do on their thread is not part of it.";
}

WatchCost::Row TrainingCost::rowOf(std::size_t rule) const {
  WatchCost::Row row;
  row.title = session_.plan().titleOf(rule);
  row.rule = textOf(session_.plan().rules()[rule]);
  row.bytes = 0;
  row.cycles = 0;
  row.time = times_[rule];
  for (const outfeed::Tap &tap : session_.plan().taps())
    if (tap.rule == rule)
      add(row, tap, traffic_);
  return row;
}

WatchCost TrainingCost::result() {
  traffic_ = session_.traffic();
  WatchCost cost;
  cost.timing = timing_;
  if (share_ && budget_) {
    cost.timing = std::string(kMeaning) +
                  "Measured during the training, with rules on and off in "
                  "turn.";
    cost.budget = budget_->line();
    for (std::size_t i = 0; i < thinned_.size(); ++i)
      times_[thinned_[i]] = budget_->costOf(i);
  } else if (share_) {
    cost.timing = "Time was not measured.";
    cost.budget = "budget of " + percent(*share_) +
                  ": there was nothing to thin; conditions, checks and health "
                  "never are";
  }
  WatchCost::Row checks;
  checks.title = "checks";
  std::vector<MeasuredShare> ofChecks;
  for (std::size_t i = 0; i < times_.size(); ++i) {
    WatchCost::Row row = rowOf(i);
    if (i >= rulesOfChecks_) {
      // What the preset taps may be tapped by later rules instead.
      const bool mayFindNothing = session_.plan().rules()[i].unmatched ==
                                  outfeed::Unmatched::isAccepted;
      if (row.tensors != 0 || !mayFindNothing)
        cost.rows.push_back(std::move(row));
      continue;
    }
    checks.tensors += row.tensors;
    checks.bytes = checks.bytes.value_or(0) + *row.bytes;
    checks.tileBytes += row.tileBytes;
    checks.cycles = checks.cycles.value_or(0) + *row.cycles;
    if (row.time)
      ofChecks.push_back(*row.time);
  }
  if (!ofChecks.empty())
    checks.time = sumOf(ofChecks);
  if (rulesOfChecks_ != 0)
    cost.rows.push_back(std::move(checks));
  WatchCost::Row health;
  health.title = "health";
  for (const outfeed::Tap &alarm : session_.plan().alarms())
    add(health, alarm, traffic_);
  if (health.tensors != 0)
    cost.rows.push_back(std::move(health));
  const outfeed::TapProgram &program = session_.program();
  if (program.recorderUpdates() != 0) {
    WatchCost::Row recorder;
    recorder.title = "recorder";
    for (const outfeed::TapRing &ring : program.rings())
      recorder.tensors += ring.records.size();
    recorder.tileBytes = program.ringBytesOfATile();
    cost.rows.push_back(std::move(recorder));
  }
  const outfeed::TapReport report = session_.report();
  cost.bytes = report.bytes;
  cost.secondsWaited = report.waited;
  return cost;
}

} // namespace popscope::host
