#include "summary/values/pr_curve.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/proto/plugin_data.pb.h"
#include "summary/values/tensor.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace popscope::summary {
namespace {

constexpr double kMinimumCount = 1e-7; // keeps 0/0 at 0, as TensorBoard does

// counts[j] becomes the sum of counts[j..].
void sumFromAbove(std::vector<double> &counts) {
  for (std::size_t j = counts.size() - 1; j > 0; --j)
    counts[j - 1] += counts[j];
}

} // namespace

PrCurve prCurve(Span<const std::uint8_t> labels, Span<const float> predictions,
                std::size_t thresholds) {
  if (labels.size() != predictions.size())
    throw std::invalid_argument(
        "[summary] a PR curve needs one label per prediction");
  if (thresholds < 2)
    throw std::invalid_argument(
        "[summary] a PR curve needs at least two thresholds");
  PrCurve curve;
  auto &tp = curve.truePositives;
  auto &fp = curve.falsePositives;
  tp.assign(thresholds, 0);
  fp.assign(thresholds, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::isnan(predictions[i])) {
      ++curve.ignored;
      continue;
    }
    // In single precision, as TensorBoard's own summary: 0.29 is then at the
    // threshold 0.29, though as a float it is a little below.
    const float clipped = std::clamp(predictions[i], 0.0F, 1.0F);
    const auto bucket =
        static_cast<std::size_t>(std::floor(clipped * float(thresholds - 1)));
    (labels[i] != 0 ? tp : fp)[std::min(bucket, thresholds - 1)] += 1;
  }
  sumFromAbove(tp);
  sumFromAbove(fp);
  for (std::size_t j = 0; j < thresholds; ++j) {
    curve.trueNegatives.push_back(fp[0] - fp[j]);
    curve.falseNegatives.push_back(tp[0] - tp[j]);
  }
  return curve;
}

Value toValue(const PrCurve &curve) {
  const std::size_t thresholds = curve.truePositives.size();
  if (curve.falsePositives.size() != thresholds ||
      curve.trueNegatives.size() != thresholds ||
      curve.falseNegatives.size() != thresholds)
    throw std::invalid_argument(
        "[summary] the counts of a PR curve differ in length");
  std::vector<float> rows;
  rows.reserve(6 * thresholds);
  for (const auto *counts : {&curve.truePositives, &curve.falsePositives,
                             &curve.trueNegatives, &curve.falseNegatives})
    for (const double count : *counts)
      rows.push_back(static_cast<float>(count));
  for (const auto *others : {&curve.falsePositives, &curve.falseNegatives})
    for (std::size_t j = 0; j < thresholds; ++j) {
      const double hits = curve.truePositives[j];
      rows.push_back(static_cast<float>(
          hits / std::max(kMinimumCount, hits + (*others)[j])));
    }
  proto::PrCurvePluginData plugin;
  plugin.set_num_thresholds(static_cast<std::uint32_t>(thresholds));
  return toValue(
      tensorView<float>(rows, {6, static_cast<std::int64_t>(thresholds)}),
      {"pr_curves", serialize(plugin), {}, {}});
}

} // namespace popscope::summary
