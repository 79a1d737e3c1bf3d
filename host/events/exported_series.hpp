// Points of scalars, histograms and text on their way into CSV or JSON.
#pragma once

#include "summary/event_view.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace popscope::host::events {

enum class ExportFormat { csv, json };

struct SeriesName {
  std::string run;
  std::string tag;

  friend bool operator<(const SeriesName &a, const SeriesName &b) {
    return std::tie(a.run, a.tag) < std::tie(b.run, b.tag);
  }
};

// All series of one kind, which is scalars, histograms or text.
//
// A single series has the columns, and JSON the list, that TensorBoard's
// download links give. Several have the run and the tag in front, or are an
// object of runs that are objects of tags.
class ExportedSeries {
public:
  ExportedSeries(std::string kind, ExportFormat format)
      : kind_(std::move(kind)), format_(format) {}

  // False if the value is not of the kind.
  [[nodiscard]] bool add(const SeriesName &name, double wallTime,
                         std::int64_t step, const summary::ValueView &value);
  bool empty() const { return series_.empty(); }
  std::string text() const {
    return format_ == ExportFormat::csv ? csv() : json();
  }

private:
  std::string csv() const;
  std::string json() const;

  const std::string kind_;
  const ExportFormat format_;
  // Lines of CSV, of which a histogram has one per bucket; or points of JSON,
  // each a list of wall time, step and value.
  std::map<SeriesName, std::vector<std::string>> series_;
};

} // namespace popscope::host::events
