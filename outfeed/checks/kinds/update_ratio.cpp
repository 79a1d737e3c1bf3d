#include "outfeed/checks/kinds/update_ratio.hpp"

#include "outfeed/rules/tensor_traits.hpp"
#include "text/number_text.hpp"

#include <cmath>
#include <map>
#include <utility>

namespace popscope::outfeed {

namespace {

using NameInReplica = std::pair<std::string, unsigned>;

NameInReplica key(const std::string &name, const Series &series) {
  return {name, series.origin ? series.origin->replica : 0};
}

} // namespace

std::vector<Violation> UpdateRatio::look(const UpdateObservations &update) {
  std::map<NameInReplica, double> weights;
  for (const Observed &observed : update.all)
    if (observed.series->tensor.kind == graph::TensorKind::weight)
      if (const auto norm = observed.value[Statistic::l2Norm])
        weights[key(observed.series->tensor.name, *observed.series)] = *norm;
  std::vector<Violation> violations;
  for (const Observed &observed : update.all) {
    const Series &series = *observed.series;
    const auto weight = weights.find(key(weightOf(series.tensor.name), series));
    if (weight == weights.end() || !(weight->second > 0) ||
        !std::isfinite(weight->second))
      continue;
    const auto norm = read(observed, Statistic::l2Norm);
    if (!norm)
      continue;
    const double ratio = *norm / weight->second;
    const std::size_t below = below_.add(series, ratio < least_);
    const std::size_t above = above_.add(series, ratio > most_);
    if (double(below) >= samples_ || double(above) >= samples_)
      violations.push_back({&series, ratio});
  }
  return violations;
}

std::string UpdateRatio::describe(const Violation &violation) const {
  const bool isBelow = violation.value < least_;
  return "its norm is " + text::significant(violation.value, 3) +
         " of that of the weight, " + (isBelow ? "below " : "above ") +
         text::significant(isBelow ? least_ : most_, 3) + " for " +
         text::withThousands(samples_) + " samples";
}

} // namespace popscope::outfeed
