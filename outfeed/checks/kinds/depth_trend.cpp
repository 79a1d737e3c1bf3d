#include "outfeed/checks/kinds/depth_trend.hpp"

#include "text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace popscope::outfeed {

namespace {

using graph::TapMoment;
using graph::TensorKind;

// Of a tensor without any other element than 0.
constexpr double kLeastRms = 0x1p-149;

bool flowsBackward(TensorKind kind) {
  return kind == TensorKind::gradient || kind == TensorKind::activationGradient;
}

} // namespace

void DepthTrend::begin(const ProgramFacts &facts) {
  // A program lists the passes of a stage together, so the forward pass of a
  // stage may come after the backward pass of the one before.
  std::vector<const TensorTraits *> tensors;
  for (const TensorTraits &tensor : facts.tensors)
    tensors.push_back(&tensor);
  std::stable_sort(tensors.begin(), tensors.end(),
                   [](const TensorTraits *a, const TensorTraits *b) {
                     return a->stage < b->stage;
                   });
  for (const TensorTraits *tensor : tensors)
    depths_.emplace(tensor->layer(), depths_.size());
}

double DepthTrend::growth(const Signal &signal, bool isBackward) const {
  std::set<std::size_t> depths;
  for (const Point &point : signal)
    depths.insert(point.depth);
  if (double(depths.size()) < std::max(layers_, 2.0))
    return 1;
  const auto n = double(signal.size());
  std::vector<double> x, y;
  double meanX = 0, meanY = 0;
  for (const Point &point : signal) {
    x.push_back(
        double(std::distance(depths.begin(), depths.find(point.depth))));
    y.push_back(std::log2(std::max(point.rms, kLeastRms)));
    meanX += x.back() / n;
    meanY += y.back() / n;
  }
  double xy = 0, xx = 0;
  for (std::size_t i = 0; i < signal.size(); ++i) {
    xy += (x[i] - meanX) * (y[i] - meanY);
    xx += (x[i] - meanX) * (x[i] - meanX);
  }
  return std::exp2(isBackward ? -xy / xx : xy / xx);
}

std::vector<Violation> DepthTrend::look(const UpdateObservations &update) {
  using Key = std::tuple<TensorKind, TapMoment, unsigned, unsigned>;
  std::map<Key, Signal> signals;
  for (const Observed &observed : update.all) {
    const Series &series = *observed.series;
    const auto norm = read(observed, Statistic::l2Norm);
    const auto depth = depths_.find(std::string(series.tensor.layer()));
    if (!norm || depth == depths_.end() || series.tensor.numElements == 0)
      continue;
    const SampleOrigin origin = series.origin.value_or(SampleOrigin{});
    signals[{series.tensor.kind, series.tensor.moment, origin.replica,
             origin.microBatch}]
        .push_back({&series, depth->second,
                    *norm / std::sqrt(double(series.tensor.numElements))});
  }
  ends_.clear();
  std::vector<Violation> violations;
  for (const auto &[key, signal] : signals) {
    const bool isBackward = flowsBackward(std::get<0>(key));
    const auto [first, last] = std::minmax_element(
        signal.begin(), signal.end(),
        [](const Point &a, const Point &b) { return a.depth < b.depth; });
    const Ends ends = isBackward ? Ends{*last, *first} : Ends{*first, *last};
    const double growth = this->growth(signal, isBackward);
    const double factor = trend_ == Trend::vanishing ? 1 / growth : growth;
    if (double(streaks_.add(*ends.to.series, factor > factor_)) < samples_)
      continue;
    violations.push_back({ends.to.series, factor});
    ends_.emplace(ends.to.series, ends);
  }
  return violations;
}

std::string DepthTrend::describe(const Violation &violation) const {
  const Ends &ends = ends_.at(violation.series);
  return std::string(trend_ == Trend::vanishing ? "falls" : "grows") + " " +
         text::significant(violation.value, 3) +
         " times from layer to layer, more than " +
         text::significant(factor_, 3) + ": RMS " +
         text::significant(ends.from.rms, 3) + " in " + ends.from.series->tag +
         ", " + text::significant(ends.to.rms, 3) + " here";
}

} // namespace popscope::outfeed
