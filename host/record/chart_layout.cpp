#include "host/record/chart_layout.hpp"

#include "outfeed/sinks/event_sink.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace popscope::host {

namespace {

using graph::TensorKind;
using outfeed::Tap;

bool hasStatistics(const Tap &tap) {
  return tap.payload >= outfeed::Payload::stats;
}

bool isActivation(const Tap &tap) {
  return tap.tensor.kind == TensorKind::activation;
}
bool isGradient(const Tap &tap) {
  return tap.tensor.kind == TensorKind::gradient;
}

bool hasRatio(const Tap &tap, const std::set<std::string> &weights) {
  return tap.tensor.kind == TensorKind::update &&
         weights.count(outfeed::weightOf(tap.tensor.name)) != 0;
}

// A category of its own for the statistic of all tensors of a kind.
summary::ChartCategory allLayers(const std::string &title, TensorKind kind,
                                 const std::string &statistic) {
  return {title,
          {summary::LinesChart{title,
                               {std::string(outfeed::tagGroup(kind)) + "/.*/" +
                                statistic + "$"}}}};
}

} // namespace

summary::ScalarLayout chartLayout(const std::deque<Tap> &taps) {
  summary::ScalarLayout layout;
  layout.categories.push_back(
      {"loss and accuracy",
       {summary::LinesChart{"loss",
                            {"epoch_loss$", "evaluation_loss$", "Loss$"}},
        summary::LinesChart{
            "accuracy",
            {"epoch_accuracy$", "evaluation_accuracy$", "Accuracy$"}}}});

  std::set<std::string> weights;
  for (const Tap &tap : taps)
    if (tap.tensor.kind == TensorKind::weight && hasStatistics(tap))
      weights.insert(tap.tensor.name);
  const auto any = [&taps](const auto &isWanted) {
    return std::any_of(taps.begin(), taps.end(), [&](const Tap &tap) {
      return hasStatistics(tap) && isWanted(tap);
    });
  };
  if (any(isGradient))
    layout.categories.push_back(
        allLayers("norms of gradients", TensorKind::gradient, "l2_norm"));
  if (any(isActivation))
    layout.categories.push_back(allLayers(
        "zeros in activations", TensorKind::activation, "zero_share"));
  if (any([&](const Tap &tap) { return hasRatio(tap, weights); }))
    layout.categories.push_back(allLayers("updates relative to weights",
                                          TensorKind::update,
                                          outfeed::kRatioToWeight));
  return layout;
}

} // namespace popscope::host
