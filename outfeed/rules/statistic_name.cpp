#include "outfeed/rules/statistic_name.hpp"

namespace popscope::outfeed {

const char *nameOf(Statistic statistic) {
  switch (statistic) {
  case Statistic::nan:
    return "nan";
  case Statistic::posInf:
    return "pos_inf";
  case Statistic::negInf:
    return "neg_inf";
  case Statistic::notFinite:
    return "not_finite";
  case Statistic::saturated:
    return "saturated";
  case Statistic::saturatedShare:
    return "saturated_share";
  case Statistic::zero:
    return "zero";
  case Statistic::zeroShare:
    return "zero_share";
  case Statistic::positive:
    return "positive";
  case Statistic::subnormal:
    return "subnormal";
  case Statistic::absMax:
    return "abs_max";
  case Statistic::min:
    return "min";
  case Statistic::max:
    return "max";
  case Statistic::l2Norm:
    return "l2_norm";
  case Statistic::mean:
    return "mean";
  case Statistic::deviation:
    return "std";
  case Statistic::meanAbs:
    return "mean_abs";
  case Statistic::skewness:
    return "skewness";
  case Statistic::kurtosis:
    return "kurtosis";
  case Statistic::fingerprint:
    break;
  }
  return "fingerprint";
}

std::optional<Statistic> statisticNamed(const std::string &name) {
  for (unsigned s = 0; s < kStatistics; ++s)
    if (name == nameOf(Statistic(s)))
      return Statistic(s);
  return std::nullopt;
}

std::vector<std::string> statisticNames() {
  std::vector<std::string> names;
  for (unsigned s = 0; s < kStatistics; ++s)
    names.emplace_back(nameOf(Statistic(s)));
  return names;
}

} // namespace popscope::outfeed
