#include "outfeed/checks/kinds/frozen_weight.hpp"

#include "text/number_text.hpp"

namespace popscope::outfeed {

std::vector<Violation> FrozenWeight::look(const UpdateObservations &update) {
  std::vector<Violation> violations;
  for (const Observed &observed : update.all) {
    if (!read(observed, Statistic::l2Norm))
      continue;
    const Series &series = *observed.series;
    const auto [last, isFirst] = last_.emplace(series.number, observed.value);
    const bool isSame = !isFirst && !difference(last->second, observed.value);
    last->second = observed.value;
    const std::size_t length = streaks_.add(series, isSame);
    if (double(length) >= samples_)
      violations.push_back({&series, double(length)});
  }
  return violations;
}

std::string FrozenWeight::describe(const Violation &violation) const {
  return "has not changed in " + text::withThousands(violation.value) +
         " samples";
}

} // namespace popscope::outfeed
