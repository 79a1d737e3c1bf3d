// Times updates with rules on and off, to find what each of them costs.
#pragma once

#include "host/train/watch/trial_rounds.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace popscope::host {

// Single updates are timed, from the top of one to the top of the next. The
// first and the last of an execution are not: the host works before and after
// them. An execution of few updates is timed as a whole.
class CostRehearsal {
public:
  // Of a program with so many rules, measures those named; each trial has only
  // one of them on. `clock` gives seconds.
  CostRehearsal(std::size_t rules, std::vector<std::size_t> measured,
                unsigned updatesPerExecution, unsigned rounds,
                std::function<double()> clock);

  // How many rounds of so many rules fit into `updates` updates.
  static unsigned roundsIn(std::uint64_t updates, std::size_t measured,
                           unsigned updatesPerExecution);

  // At the top of each update: which rules are due at it, by rule.
  const std::vector<bool> &beginUpdate();
  void endExecution();
  bool isDone() const { return rounds_.rounds() >= wanted_; }
  // Once it is done: what each rule that is measured adds to the time of an
  // update at which it is due.
  std::vector<MeasuredShare> costs() const;

private:
  bool timesUpdates() const { return timesUpdates(updatesPerExecution_); }
  static bool timesUpdates(unsigned updatesPerExecution) {
    return updatesPerExecution >= 4;
  }
  void chooseRules();

  const std::vector<std::size_t> measured_;
  const unsigned updatesPerExecution_;
  const std::function<double()> clock_;
  const unsigned wanted_; // rounds
  TrialRounds rounds_;    // without rules, then with each
  std::vector<bool> due_;
  unsigned begun_ = 0; // updates of this execution
  double start_ = 0.0; // of the update, or of the execution
};

} // namespace popscope::host
