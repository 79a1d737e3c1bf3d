#include "host/train/watch/cost_rehearsal.hpp"

#include <algorithm>
#include <utility>

namespace popscope::host {

CostRehearsal::CostRehearsal(std::size_t rules,
                             std::vector<std::size_t> measured,
                             unsigned updatesPerExecution, unsigned rounds,
                             std::function<double()> clock)
    : measured_(std::move(measured)), updatesPerExecution_(updatesPerExecution),
      clock_(std::move(clock)), wanted_(rounds),
      rounds_(std::vector<unsigned>(measured_.size() + 1, 1)),
      due_(rules, false) {}

unsigned CostRehearsal::roundsIn(std::uint64_t updates, std::size_t measured,
                                 unsigned updatesPerExecution) {
  constexpr std::uint64_t kMostRounds = 40;
  const std::uint64_t executions = updates / updatesPerExecution;
  const std::uint64_t timed =
      executions *
      (timesUpdates(updatesPerExecution) ? updatesPerExecution - 2 : 1);
  return unsigned(std::min(timed / (measured + 1), kMostRounds));
}

void CostRehearsal::chooseRules() {
  due_.assign(due_.size(), false);
  if (!isDone() && rounds_.next() != 0)
    due_[measured_[rounds_.next() - 1]] = true;
}

const std::vector<bool> &CostRehearsal::beginUpdate() {
  const double now = clock_();
  // The update that ends here was the second or a later one.
  if (timesUpdates() && begun_ >= 2 && !isDone())
    rounds_.took(now - start_);
  if (timesUpdates() || begun_ == 0) {
    chooseRules();
    start_ = now;
  }
  ++begun_;
  return due_;
}

void CostRehearsal::endExecution() {
  if (!timesUpdates() && !isDone())
    rounds_.took(clock_() - start_);
  begun_ = 0;
}

std::vector<MeasuredShare> CostRehearsal::costs() const {
  std::vector<MeasuredShare> costs;
  for (std::size_t i = 0; i < measured_.size(); ++i)
    costs.push_back(rounds_.shareOf(i + 1));
  return costs;
}

} // namespace popscope::host
