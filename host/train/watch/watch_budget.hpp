// How often rules may be due, so that watching costs no more than a share of
// the training's time.
#pragma once

#include "host/train/watch/trial_rounds.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace popscope::host {

// Executions are run with rules on and off in turn and timed; rules that cost
// too much are then due less often, the dearest first, and the result is timed
// again. Holds no clock and no thread.
class WatchBudget {
public:
  struct Rule {
    std::string title;
    std::uint32_t every = 1; // updates from one due one to the next
  };
  // `share` of the time without rules: 0.02 is 2 %. There is at least one rule.
  WatchBudget(double share, std::vector<Rule> rules,
              unsigned updatesPerExecution);

  // For the next execution: updates from one due one to the next, by rule; 0 is
  // off.
  const std::vector<std::uint32_t> &next() const {
    return trials_[rounds_ ? rounds_->next() : 0];
  }
  // That execution has taken so long.
  void took(double seconds);

  bool isSettled() const { return phase_ == Phase::settled; }
  // By rule, as decided so far.
  const std::vector<std::uint32_t> &every() const { return every_; }
  // What a rule adds to the time if it is due as often as decided; nothing
  // before it is measured.
  std::optional<MeasuredShare> costOf(std::size_t rule) const;
  // What was measured and done, in one line. At any time.
  std::string line() const;

private:
  enum class Phase { warmUp, rulesApart, together, settled };
  using Every = std::vector<std::uint32_t>; // by rule

  void begin(Phase phase, std::vector<Every> trials);
  unsigned executionsOf(const Every &every) const;
  // Whether more rounds would not help.
  bool areClear() const;
  void endPhase();
  std::uint32_t thinnest(std::size_t rule) const;
  double costNow(std::size_t rule) const;
  void thin();
  std::string changes() const;

  const double budget_;
  const std::vector<Rule> rules_;
  const unsigned updatesPerExecution_;
  Phase phase_ = Phase::warmUp;
  std::vector<Every> trials_;         // of the phase
  std::optional<TrialRounds> rounds_; // of these; none if nothing is timed
  Every every_;                       // as decided so far
  unsigned corrections_ = 0;
  std::vector<MeasuredShare> costs_;   // by rule, as it asks to be due
  std::optional<MeasuredShare> total_; // of all, as decided
};

} // namespace popscope::host
