#include "outfeed/checks/kinds/spike.hpp"

#include "text/number_text.hpp"

namespace popscope::outfeed {

namespace {

Statistic statisticOf(const Series &series) {
  return series.tensor.kind == graph::TensorKind::loss ? Statistic::mean
                                                       : Statistic::l2Norm;
}

} // namespace

std::vector<Violation> Spike::look(const UpdateObservations &update) {
  std::vector<Violation> violations;
  for (const Observed &observed : update.all) {
    const Series &series = *observed.series;
    const auto value = read(observed, statisticOf(series));
    if (!value)
      continue;
    RunningMean &mean = means_[series.number];
    if (double(mean.count()) >= warmUp_ && mean.value() > 0 &&
        *value > factor_ * mean.value())
      violations.push_back({&series, *value / mean.value()});
    mean.add(*value, memory_);
  }
  return violations;
}

std::string Spike::describe(const Violation &violation) const {
  return std::string(nameOf(statisticOf(*violation.series))) + " is " +
         text::significant(violation.value, 3) +
         " times its running mean, more than " + text::significant(factor_, 3) +
         " times";
}

} // namespace popscope::outfeed
