#include "outfeed/checks/kinds/saturation.hpp"

#include "text/number_text.hpp"

namespace popscope::outfeed {

std::vector<Violation> Saturation::look(const UpdateObservations &update) {
  std::vector<Violation> violations;
  for (const Observed &observed : update.all) {
    // Every payload has it, unless the event file left out a 0.
    const auto saturated = read(observed, Statistic::saturatedShare);
    if (saturated &&
        double(streaks_.add(*observed.series, *saturated > saturatedShare_)) >=
            samples_)
      violations.push_back({observed.series, *saturated});
  }
  return violations;
}

std::string Saturation::describe(const Violation &violation) const {
  return text::significant(100 * violation.value, 4) +
         " % are at the largest magnitude of " +
         violation.series->tensor.dtype + ", more than " +
         text::significant(100 * saturatedShare_, 4) + " %";
}

} // namespace popscope::outfeed
