#include "outfeed/checks/observation.hpp"

#include <cmath>
#include <limits>

namespace popscope::outfeed {

namespace {

constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

std::size_t indexOf(Statistic statistic) {
  std::size_t i = 0;
  while (i < kNumLogged && kLoggedStatistics[i] != statistic)
    ++i;
  return i;
}

} // namespace

Observation::Observation() { values_.fill(kUnknown); }

Observation::Observation(const TensorSample &sample) : Observation() {
  for (std::size_t i = 0; i < kNumLogged; ++i)
    if (const auto value = valueOf(kLoggedStatistics[i], sample))
      if (i < kAlwaysLogged || *value != 0)
        values_[i] = float(*value);
}

void Observation::set(Statistic statistic, float value) {
  const std::size_t i = indexOf(statistic);
  if (i < kNumLogged)
    values_[i] = value;
}

std::optional<double> Observation::operator[](Statistic statistic) const {
  const std::size_t i = indexOf(statistic);
  if (i < kNumLogged && !std::isnan(values_[i]))
    return double(values_[i]);
  if (i < kAlwaysLogged || i >= kNumLogged ||
      statistic == Statistic::fingerprint)
    return std::nullopt;
  return 0.0;
}

std::optional<Statistic> difference(const Observation &a,
                                    const Observation &b) {
  for (const Statistic statistic : kLoggedStatistics)
    if (a[statistic] != b[statistic])
      return statistic;
  return std::nullopt;
}

} // namespace popscope::outfeed
