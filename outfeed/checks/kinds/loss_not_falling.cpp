#include "outfeed/checks/kinds/loss_not_falling.hpp"

#include "text/number_text.hpp"

#include <cmath>

namespace popscope::outfeed {

std::vector<Violation> LossNotFalling::look(const UpdateObservations &update) {
  std::vector<Violation> violations;
  for (const Observed &observed : update.all) {
    const auto loss = read(observed, Statistic::mean);
    if (!loss)
      continue;
    State &state = states_[observed.series->number];
    state.mean.add(*loss, memory_);
    const double mean = state.mean.value();
    if (state.mean.count() == 1 ||
        mean < state.best - fall_ * std::abs(state.best)) {
      state.best = mean;
      state.bestAt = update.update;
    }
    const double since =
        double(update.update.value()) - double(state.bestAt.value());
    if (since >= updates_)
      violations.push_back({observed.series, mean});
  }
  return violations;
}

std::string LossNotFalling::describe(const Violation &violation) const {
  const State &state = states_.at(violation.series->number);
  return "its running mean is " + text::significant(violation.value, 4) +
         " and has not fallen by " + text::significant(100 * fall_, 3) +
         " % since update " + std::to_string(state.bestAt.value()) + " (" +
         text::significant(state.best, 4) + ")";
}

} // namespace popscope::outfeed
