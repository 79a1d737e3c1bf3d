#include "outfeed/checks/kinds/gradient_noise.hpp"

#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace popscope::outfeed {

namespace {

// Squared norms of the gradient of one weight, summed over what was observed.
struct Squares {
  double microBatches = 0, accumulated = 0, reduced = 0;
  bool hasMicroBatches = false, hasAccumulated = false, hasReduced = false;
  const Series *series = nullptr;
};

} // namespace

double GradientNoise::imagesOfUpdate() const {
  return facts_.itemsPerMicroBatch * facts_.microBatchesPerUpdate *
         (isReduced_ ? facts_.replicas : 1);
}

std::vector<Violation> GradientNoise::look(const UpdateObservations &update) {
  std::map<std::string, Squares> weights;
  for (const Observed &observed : update.all) {
    const auto norm = observed.value[Statistic::l2Norm];
    if (!norm || !watches(*observed.series))
      continue;
    Squares &squares = weights[observed.series->tensor.name];
    if (!squares.series)
      squares.series = observed.series;
    switch (observed.series->tensor.moment) {
    case graph::TapMoment::microBatch:
      squares.microBatches += *norm * *norm;
      squares.hasMicroBatches = true;
      break;
    case graph::TapMoment::accumulated:
      squares.accumulated += *norm * *norm;
      squares.hasAccumulated = true;
      break;
    case graph::TapMoment::reduced:
      squares.reduced += *norm * *norm;
      squares.hasReduced = true;
      break;
    case graph::TapMoment::applied:
      break;
    }
  }
  // Folded or apart, these are sums over all replicas, so that each is divided
  // by the number of gradients in it.
  const double replicas = facts_.replicas;
  const double microBatches = facts_.microBatchesPerUpdate;
  double small = 0, large = 0;
  const Series *first = nullptr;
  if (!weights.empty())
    isReduced_ = std::all_of(weights.begin(), weights.end(), [](const auto &w) {
      return !w.second.hasMicroBatches || w.second.hasReduced;
    });
  for (const auto &[name, squares] : weights) {
    if (!squares.hasMicroBatches ||
        !(isReduced_ ? squares.hasReduced : squares.hasAccumulated))
      continue;
    small += squares.microBatches / (microBatches * replicas) /
             (facts_.lossScale * facts_.lossScale);
    large += (isReduced_ ? squares.reduced : squares.accumulated) / replicas;
    if (!first || squares.series->place < first->place)
      first = squares.series;
  }
  const double micro = facts_.itemsPerMicroBatch, whole = imagesOfUpdate();
  if (!first || !(whole > micro) || !std::isfinite(small) ||
      !std::isfinite(large))
    return {};
  if (facts_.gradientsAreSummed)
    large *= (micro / whole) * (micro / whole);
  noteSeen();
  noise_.add((small - large) / (1 / micro - 1 / whole), memory_);
  signal_.add((whole * large - micro * small) / (whole - micro), memory_);
  if (!isWarm() || noise_.value() <= most_ * whole * signal_.value())
    return {};
  return {{first, signal_.value() > 0
                      ? noise_.value() / signal_.value()
                      : std::numeric_limits<double>::infinity()}};
}

std::string GradientNoise::describe(const Violation &violation) const {
  return "the noise scale of all gradients is " +
         text::significant(violation.value, 3) + " images, more than " +
         text::significant(most_, 3) + " times the " +
         text::significant(imagesOfUpdate(), 6) + " of an update";
}

std::string GradientNoise::lacking() const {
  if (hasSeen())
    return "";
  if (!isApplicable(facts_))
    return "an update has one micro-batch; train with --gradient-accumulation "
           "or --replicas";
  return Check::lacking();
}

std::optional<Check::Measure> GradientNoise::measure() const {
  if (!isWarm() || !(signal_.value() > 0) || !(noise_.value() > 0))
    return std::nullopt;
  const double scale = noise_.value() / signal_.value();
  return Measure{"gradient_noise_scale", scale,
                 "gradient noise scale: " + text::significant(scale, 3) +
                     " images; an update has " +
                     text::significant(imagesOfUpdate(), 6)};
}

} // namespace popscope::outfeed
