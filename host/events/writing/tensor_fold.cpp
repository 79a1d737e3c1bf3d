#include "host/events/writing/tensor_fold.hpp"

#include "outfeed/sinks/statistic.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>

namespace popscope::host::events {

namespace {

using summary::Histogram;

constexpr std::array<std::string_view, 4> kGroups = {
    "tapped_activations", "tapped_gradients", "tapped_updates",
    "tapped_weights"};

std::optional<double> valueOf(const TensorRecord &part, Statistic statistic) {
  const auto found = part.values.find(statistic);
  return found == part.values.end() ? std::nullopt
                                    : std::optional(found->second);
}

// Of statistics that are logged only where they are not 0.
double valueOrZero(const TensorRecord &part, Statistic statistic) {
  return valueOf(part, statistic).value_or(0);
}

double notFiniteIn(const TensorRecord &part) {
  return valueOrZero(part, Statistic::nan) +
         valueOrZero(part, Statistic::posInf) +
         valueOrZero(part, Statistic::negInf);
}

std::optional<double> finiteIn(const TensorRecord &part) {
  if (!part.histogram)
    return std::nullopt;
  const auto &buckets = part.histogram->buckets;
  return std::accumulate(
      buckets.begin(), buckets.end(), 0.0,
      [](double sum, const auto &bucket) { return sum + bucket.count; });
}

// The elements of a part; only their ratios count.
struct Weight {
  double all = 1;
  std::optional<double> finite;
};

std::vector<Weight> weightsOf(const std::vector<TensorRecord> &parts) {
  std::optional<double> usual; // elements of a part that has a histogram
  for (const TensorRecord &part : parts)
    if (const auto finite = finiteIn(part))
      usual = *finite + notFiniteIn(part);
  const bool allFinite =
      std::all_of(parts.begin(), parts.end(), [](const TensorRecord &part) {
        return notFiniteIn(part) == 0;
      });
  std::vector<Weight> weights;
  for (const TensorRecord &part : parts) {
    Weight weight;
    weight.finite = finiteIn(part);
    if (weight.finite)
      weight.all = *weight.finite + notFiniteIn(part);
    else if (usual)
      weight = {*usual, std::max(0.0, *usual - notFiniteIn(part))};
    else if (allFinite)
      weight.finite = 1;
    weights.push_back(weight);
  }
  return weights;
}

template <class Combine>
void combine(const std::vector<TensorRecord> &parts, Statistic statistic,
             const Combine &together, TensorRecord &result) {
  std::optional<double> combined;
  for (const TensorRecord &part : parts)
    if (const auto value = valueOf(part, statistic))
      combined = combined ? together(*combined, *value) : *value;
  if (combined)
    result.values[statistic] = *combined;
}

void foldMoments(const std::vector<TensorRecord> &parts,
                 const std::vector<Weight> &weights, TensorRecord &result) {
  double n = 0, mean = 0, m2 = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto partMean = valueOf(parts[i], Statistic::mean);
    const auto deviation = valueOf(parts[i], Statistic::deviation);
    if (!partMean || !deviation)
      continue; // no finite element
    if (!weights[i].finite)
      return;
    const double k = *weights[i].finite;
    if (k == 0)
      continue;
    const double delta = *partMean - mean;
    mean += delta * k / (n + k);
    m2 += k * *deviation * *deviation + delta * delta * n * k / (n + k);
    n += k;
  }
  if (n == 0)
    return;
  result.values[Statistic::mean] = mean;
  result.values[Statistic::deviation] = std::sqrt(m2 / n);
}

void foldShare(const std::vector<TensorRecord> &parts,
               const std::vector<Weight> &weights, Statistic statistic,
               bool isZeroIfMissing, TensorRecord &result) {
  double elements = 0, counted = 0;
  bool isKnown = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto share = valueOf(parts[i], statistic);
    isKnown = isKnown || share;
    if (!share && !isZeroIfMissing)
      continue;
    elements += weights[i].all;
    counted += weights[i].all * share.value_or(0);
  }
  if (isKnown && elements != 0)
    result.values[statistic] = counted / elements;
}

// The fingerprint is 1 + the lowest 23 bits of a hash; hashes add up.
double addFingerprints(double a, double b) {
  return double(1 + ((std::uint64_t(a) + std::uint64_t(b) - 2) & 0x7fffff));
}

// Whether the edge divides the elements of no bucket. The last bucket contains
// its right edge.
bool fits(const Histogram &histogram, double edge) {
  const auto &buckets = histogram.buckets;
  return std::none_of(
      buckets.begin(), buckets.end(), [&](const Histogram::Bucket &bucket) {
        const bool isLast = &bucket == &buckets.back();
        return bucket.count != 0 && bucket.left < edge &&
               (edge < bucket.right || (isLast && edge == bucket.right));
      });
}

} // namespace

std::optional<TapTag> parseTapTag(std::string_view tag) {
  const std::size_t group = tag.find('/'), end = tag.rfind('/');
  if (group == std::string_view::npos || group == end ||
      std::find(kGroups.begin(), kGroups.end(), tag.substr(0, group)) ==
          kGroups.end())
    return std::nullopt;
  const std::string name(tag.substr(end + 1));
  TapTag result{std::string(tag.substr(0, end)), std::nullopt};
  if (name == "histogram")
    return result;
  result.statistic = outfeed::statisticNamed(name);
  const auto &logged = outfeed::kLoggedStatistics;
  const bool isLogged =
      result.statistic && std::find(std::begin(logged), std::end(logged),
                                    *result.statistic) != std::end(logged);
  return isLogged ? std::optional(result) : std::nullopt;
}

TensorRecord foldParts(const std::vector<TensorRecord> &parts) {
  const std::vector<Weight> weights = weightsOf(parts);
  const auto add = [](double a, double b) { return a + b; };
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto greatest = [](double a, double b) { return std::max(a, b); };
  const auto norm = [](double a, double b) { return std::hypot(a, b); };
  TensorRecord result;
  for (const Statistic count :
       {Statistic::nan, Statistic::posInf, Statistic::negInf})
    combine(parts, count, add, result);
  combine(parts, Statistic::min, least, result);
  combine(parts, Statistic::max, greatest, result);
  combine(parts, Statistic::absMax, greatest, result);
  combine(parts, Statistic::l2Norm, norm, result);
  combine(parts, Statistic::fingerprint, addFingerprints, result);
  foldMoments(parts, weights, result);
  foldShare(parts, weights, Statistic::zeroShare, false, result);
  foldShare(parts, weights, Statistic::saturatedShare, true, result);
  std::vector<Histogram> histograms;
  for (const TensorRecord &part : parts)
    if (part.histogram)
      histograms.push_back(*part.histogram);
  if (!histograms.empty())
    result.histogram = foldHistograms(histograms);
  return result;
}

Histogram foldHistograms(const std::vector<Histogram> &parts) {
  std::vector<double> all;
  for (const Histogram &part : parts)
    for (const Histogram::Bucket &bucket : part.buckets) {
      all.push_back(bucket.left);
      all.push_back(bucket.right);
    }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  std::vector<double> edges;
  for (const double edge : all)
    if (edge == all.back() ||
        std::all_of(parts.begin(), parts.end(),
                    [edge](const Histogram &part) { return fits(part, edge); }))
      edges.push_back(edge);
  Histogram whole;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i)
    whole.buckets.push_back({edges[i], edges[i + 1], 0});
  if (edges.size() == 1)
    whole.buckets.push_back({edges[0], edges[0], 0});
  for (const Histogram &part : parts)
    for (const Histogram::Bucket &bucket : part.buckets) {
      if (bucket.count == 0)
        continue;
      const auto after =
          std::upper_bound(edges.begin(), edges.end(), bucket.left);
      const auto at =
          std::min(std::size_t(after - edges.begin()), whole.buckets.size()) -
          1;
      whole.buckets[at].count += bucket.count;
    }
  return whole;
}

} // namespace popscope::host::events
