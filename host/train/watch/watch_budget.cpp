#include "host/train/watch/watch_budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace popscope::host {

namespace {

constexpr unsigned kRounds = kLeastMeasurements;
constexpr unsigned kMostRounds = 4 * kRounds; // where noise hides the cost
constexpr unsigned kMostCorrections = 3;
// Of the updates at which a rule asks to be due, at least one in so many is.
constexpr std::uint32_t kThinnest = 1024;

} // namespace

WatchBudget::WatchBudget(double share, std::vector<Rule> rules,
                         unsigned updatesPerExecution)
    : budget_(share), rules_(std::move(rules)),
      updatesPerExecution_(updatesPerExecution) {
  for (const Rule &rule : rules_)
    every_.push_back(rule.every);
  begin(Phase::warmUp, {every_});
}

unsigned WatchBudget::executionsOf(const Every &every) const {
  // Long enough for each rule to be due.
  const std::uint32_t longest = *std::max_element(every.begin(), every.end());
  return std::max(1u,
                  (longest + updatesPerExecution_ - 1) / updatesPerExecution_);
}

void WatchBudget::begin(Phase phase, std::vector<Every> trials) {
  phase_ = phase;
  trials_ = std::move(trials);
  rounds_.reset();
  if (phase == Phase::warmUp || phase == Phase::settled)
    return;
  std::vector<unsigned> runs;
  for (const Every &every : trials_)
    runs.push_back(executionsOf(every));
  rounds_.emplace(std::move(runs));
}

void WatchBudget::took(double seconds) {
  if (phase_ == Phase::settled)
    return;
  if (!rounds_ || (rounds_->took(seconds) && areClear()))
    endPhase();
}

bool WatchBudget::areClear() const {
  if (rounds_->rounds() < kRounds || rounds_->rounds() >= kMostRounds)
    return rounds_->rounds() >= kMostRounds;
  const double part = budget_ / double(rounds_->trials() - 1);
  for (std::size_t trial = 1; trial < rounds_->trials(); ++trial) {
    const MeasuredShare share = rounds_->shareOf(trial);
    if (!share.isKnown() && share.most() > part)
      return false;
  }
  return true;
}

void WatchBudget::endPhase() {
  const Every off(rules_.size(), 0);
  switch (phase_) {
  case Phase::warmUp: {
    std::vector<Every> trials{off};
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      trials.push_back(off);
      trials.back()[i] = rules_[i].every;
    }
    return begin(Phase::rulesApart, std::move(trials));
  }
  case Phase::rulesApart:
    for (std::size_t i = 0; i < rules_.size(); ++i)
      costs_.push_back(rounds_->shareOf(i + 1));
    thin();
    return begin(Phase::together, {off, every_});
  case Phase::together: {
    total_ = rounds_->shareOf(1);
    const Every before = every_;
    if (total_->share > budget_ && corrections_++ < kMostCorrections)
      for (std::size_t i = 0; i < rules_.size(); ++i)
        every_[i] = std::uint32_t(
            std::min(std::ceil(total_->share / budget_) * every_[i],
                     double(thinnest(i))));
    if (every_ == before)
      return begin(Phase::settled, {every_});
    total_.reset();
    return begin(Phase::together, {off, every_});
  }
  case Phase::settled:
    return;
  }
}

std::uint32_t WatchBudget::thinnest(std::size_t rule) const {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  return std::uint32_t(
      std::min(std::uint64_t(rules_[rule].every) * kThinnest, kMost));
}

double WatchBudget::costNow(std::size_t rule) const {
  return std::max(0.0, costs_[rule].share) * rules_[rule].every / every_[rule];
}

void WatchBudget::thin() {
  for (;;) {
    double sum = 0.0;
    std::optional<std::size_t> dearest;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      sum += costNow(i);
      if (every_[i] < thinnest(i) &&
          (!dearest || costNow(i) > costNow(*dearest)))
        dearest = i;
    }
    if (sum <= budget_ || !dearest)
      return;
    every_[*dearest] =
        std::uint32_t(std::min(2 * std::uint64_t(every_[*dearest]),
                               std::uint64_t(thinnest(*dearest))));
  }
}

std::optional<MeasuredShare> WatchBudget::costOf(std::size_t rule) const {
  if (costs_.empty())
    return std::nullopt;
  return costs_[rule].times(double(rules_[rule].every) / every_[rule]);
}

std::string WatchBudget::changes() const {
  std::string text;
  for (std::size_t i = 0; i < rules_.size(); ++i)
    if (every_[i] != rules_[i].every)
      text += "; " + rules_[i].title + " is due every " +
              std::to_string(every_[i]) + " updates instead of every " +
              (rules_[i].every == 1 ? "one" : std::to_string(rules_[i].every));
  return text.empty() ? "; nothing had to be thinned" : text;
}

std::string WatchBudget::line() const {
  const std::string budget = "budget of " + percent(budget_) + ": ";
  if (costs_.empty()) {
    const std::uint32_t longest = executionsOf(every_);
    return budget + "the training was too short to measure what watching " +
           "costs, which takes " +
           std::to_string(1 + kRounds * (rules_.size() + 1) * longest) +
           " executions; nothing was thinned";
  }
  bool isThinnest = true;
  double calculated = 0.0;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    isThinnest = isThinnest && every_[i] == thinnest(i);
    calculated += costNow(i);
  }
  const std::string more = isThinnest ? ", more than that even at the thinnest "
                                        "schedules"
                                      : ", more than that";
  if (!total_)
    return budget + "by calculation watching costs " + percent(calculated) +
           (calculated > budget_ ? more : "") +
           "; the training ended before that was measured" + changes();
  const bool isUnclear = !total_->isKnown() && total_->most() > budget_;
  return budget + "watching costs " + textOf(*total_) +
         (isUnclear                 ? ", too noisy to say whether it fits"
          : total_->share > budget_ ? more
                                    : "") +
         changes();
}

} // namespace popscope::host
