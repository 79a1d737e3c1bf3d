// What a run has recorded of a tensor, column by column of an axis of updates.
#pragma once

#include "host/report/exponent_histogram.hpp"
#include "outfeed/rules/tensor_traits.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace popscope::host {

// By their places in a sample.
constexpr std::array<const char *, 12> kReportedStatistics = {
    "mean",
    "std",
    "min",
    "max",
    "l2_norm",
    "abs_max",
    "nan",
    "pos_inf",
    "neg_inf",
    "zero_share",
    "saturated_share",
    "ratio_to_weight"};
std::optional<std::size_t> placeOfStatistic(std::string_view name);

struct RecordedSample {
  std::uint32_t update = 0;
  std::array<std::optional<float>, kReportedStatistics.size()> values = {};

  std::optional<float> operator[](std::string_view statistic) const;
  bool isFinite() const;
};

// Of all samples of a column, the one that is not finite, or else the one of
// the largest norm; and a histogram, of the same update if that has one.
struct RecordedCell {
  RecordedSample sample;
  std::optional<ExponentHistogram> histogram;
  std::uint32_t histogramUpdate = 0;
};

struct TensorHistory {
  std::string tag; // without its group
  outfeed::TensorTraits tensor;
  std::map<std::size_t, RecordedCell> cells; // by column
  // Over all samples.
  std::uint64_t samples = 0;
  std::uint64_t notFinite = 0; // of the samples
  std::optional<std::uint32_t> firstNotFinite;
  std::optional<float> largest; // abs_max
  RecordedSample last;

  // The next sample, which is part of this column, if of any.
  void add(const RecordedSample &sample,
           const std::optional<summary::Histogram> &histogram,
           std::optional<std::size_t> column);
};

} // namespace popscope::host
