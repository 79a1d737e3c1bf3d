#include "outfeed/sinks/statistic.hpp"

#include <limits>

namespace popscope::outfeed {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The lowest payload that carries it.
Payload payloadOf(Statistic statistic) {
  switch (tierOf(statistic)) {
  case StatsTier::alarm:
    return Payload::alarm;
  case StatsTier::shape:
    return Payload::shape;
  case StatsTier::identity:
    return Payload::identity;
  default:
    return Payload::stats;
  }
}

// How many elements it covers.
std::uint64_t covered(Statistic statistic, const summary::TensorStats &stats) {
  switch (statistic) {
  case Statistic::absMax:
  case Statistic::min:
  case Statistic::max:
  case Statistic::l2Norm:
    return stats.count - stats.nan;
  case Statistic::mean:
  case Statistic::deviation:
  case Statistic::meanAbs:
  case Statistic::skewness:
  case Statistic::kurtosis:
    return stats.finite();
  case Statistic::saturatedShare:
  case Statistic::zeroShare:
    return stats.count;
  default:
    return 1; // a count is known of nothing, too
  }
}

double shareOf(std::uint64_t part, const summary::TensorStats &stats) {
  return double(part) / double(stats.count);
}

} // namespace

std::optional<double> valueOf(Statistic statistic, const TensorSample &sample) {
  const summary::TensorStats &stats = sample.stats;
  if (sample.payload < payloadOf(statistic) || covered(statistic, stats) == 0)
    return std::nullopt;
  // A sample made of elements on the host has no hash.
  if (statistic == Statistic::fingerprint && sample.payload == Payload::full)
    return std::nullopt;
  const bool hasInfinity = stats.posInf + stats.negInf != 0;
  switch (statistic) {
  case Statistic::nan:
    return double(stats.nan);
  case Statistic::posInf:
    return double(stats.posInf);
  case Statistic::negInf:
    return double(stats.negInf);
  case Statistic::notFinite:
    return double(stats.count - stats.finite());
  case Statistic::saturated:
    return double(stats.saturated);
  case Statistic::saturatedShare:
    return shareOf(stats.saturated, stats);
  case Statistic::zero:
    return double(stats.zero);
  case Statistic::zeroShare:
    return shareOf(stats.zero, stats);
  case Statistic::positive:
    return double(stats.positive);
  case Statistic::subnormal:
    return double(stats.subnormal);
  case Statistic::absMax:
    return hasInfinity ? kInfinity : stats.absMax;
  case Statistic::min: // without a finite element it is +infinity
    return stats.negInf != 0 ? -kInfinity : stats.min;
  case Statistic::max: // likewise -infinity
    return stats.posInf != 0 ? kInfinity : stats.max;
  case Statistic::l2Norm:
    return hasInfinity ? kInfinity : stats.l2Norm();
  case Statistic::mean:
    return stats.mean;
  case Statistic::deviation:
    return stats.standardDeviation();
  case Statistic::meanAbs:
    return stats.meanAbs();
  case Statistic::skewness:
    return stats.skewness();
  case Statistic::kurtosis:
    return stats.kurtosis();
  case Statistic::fingerprint:
    break;
  }
  return double(1 + (sample.hash[0] & 0x7fffff));
}

} // namespace popscope::outfeed
