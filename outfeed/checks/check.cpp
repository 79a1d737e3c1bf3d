#include "outfeed/checks/check.hpp"

#include <cmath>

namespace popscope::outfeed {

bool Check::watches(const Series &series) {
  if (series.number >= isWatched_.size())
    isWatched_.resize(series.number + 1);
  std::optional<bool> &known = isWatched_[series.number];
  if (!known)
    known = tensors_.matches(series.tensor);
  return *known;
}

std::optional<double> Check::read(const Observed &observed,
                                  Statistic statistic) {
  if (!watches(*observed.series))
    return std::nullopt;
  const std::optional<double> value = observed.value[statistic];
  if (!value || !std::isfinite(*value))
    return std::nullopt;
  noteSeen();
  return value;
}

std::string Check::lacking() const {
  return hasSeen_ ? ""
                  : "no statistics of '" + tensors_.text() + "'; add --tap '" +
                        tap() + "'";
}

} // namespace popscope::outfeed
