#include "host/report/tensor_history.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace popscope::host {

namespace {

// By which samples of a column are compared.
float sizeOf(const RecordedSample &sample) {
  for (const char *const name : {"ratio_to_weight", "l2_norm", "abs_max"})
    if (const auto value = sample[name])
      return *value;
  return 0;
}

bool isWorse(const RecordedSample &a, const RecordedSample &b) {
  return a.isFinite() != b.isFinite() ? !a.isFinite() : sizeOf(a) > sizeOf(b);
}

} // namespace

std::optional<std::size_t> placeOfStatistic(std::string_view name) {
  const auto found =
      std::find(kReportedStatistics.begin(), kReportedStatistics.end(), name);
  if (found == kReportedStatistics.end())
    return std::nullopt;
  return std::size_t(found - kReportedStatistics.begin());
}

std::optional<float>
RecordedSample::operator[](std::string_view statistic) const {
  const auto place = placeOfStatistic(statistic);
  return place ? values[*place] : std::nullopt;
}

bool RecordedSample::isFinite() const {
  for (const char *const name : {"nan", "pos_inf", "neg_inf"})
    if ((*this)[name].value_or(0) != 0)
      return false;
  return std::all_of(values.begin(), values.end(), [](const auto &value) {
    return !value || std::isfinite(*value);
  });
}

void TensorHistory::add(const RecordedSample &sample,
                        const std::optional<summary::Histogram> &histogram,
                        std::optional<std::size_t> column) {
  ++samples;
  if (!sample.isFinite()) {
    ++notFinite;
    firstNotFinite =
        std::min(firstNotFinite.value_or(sample.update), sample.update);
  }
  if (const auto magnitude = sample["abs_max"])
    largest = std::max(largest.value_or(0), *magnitude);
  if (samples == 1 || sample.update >= last.update)
    last = sample;
  if (!column)
    return;
  const auto [place, isNew] = cells.try_emplace(*column);
  RecordedCell &cell = place->second;
  const bool isShown = isNew || isWorse(sample, cell.sample);
  if (isShown)
    cell.sample = sample;
  if (!histogram || (!isShown && cell.histogram))
    return;
  if (auto exponents = exponentsOf(*histogram)) {
    cell.histogram = std::move(exponents);
    cell.histogramUpdate = sample.update;
  }
}

} // namespace popscope::host
