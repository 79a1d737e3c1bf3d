#include "outfeed/checks/dead_relu.hpp"

#include "text/number_text.hpp"

namespace popscope::outfeed {

std::vector<Violation> DeadRelu::look(const UpdateObservations &update) {
  std::vector<Violation> violations;
  for (const Observed &observed : update.all)
    if (const auto zeros = read(observed, Statistic::zeroShare))
      if (double(streaks_.add(*observed.series, *zeros >= zeroShare_)) >=
          samples_)
        violations.push_back({observed.series, *zeros});
  return violations;
}

std::string DeadRelu::describe(const Violation &violation) const {
  return text::significant(100 * violation.value, 4) + " % are zero, " +
         text::significant(100 * zeroShare_, 4) + " % or more for " +
         text::withThousands(samples_) + " samples";
}

} // namespace popscope::outfeed
