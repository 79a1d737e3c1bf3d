// Points of scalars, histograms and text on their way into CSV or JSON.
#pragma once

#include "summary/event_view.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace popscope::host::events {

struct Moment {
  double wallTime;
  std::int64_t step;
};

struct ExportedSeries {
  std::string run;
  std::string tag;
  // One per line of CSV: a histogram has one per bucket.
  std::vector<std::string> csvLines;
  // One per step, each a list [wall time, step, value].
  std::vector<std::string> jsonPoints;

  // False if the value is not of the kind, which is scalars, histograms or
  // text.
  bool add(Moment moment, const summary::ValueView &value,
           const std::string &kind);
};

// The series of the run and tag, which is added if there is none.
ExportedSeries &seriesIn(std::vector<ExportedSeries> &all,
                         const std::string &run, const std::string &tag);

// A single series has the columns, and JSON the list, that TensorBoard's
// download links give. Several have the run and the tag in front, or are an
// object of runs that are objects of tags.
std::string toCsv(const std::vector<ExportedSeries> &all,
                  const std::string &kind);
std::string toJson(const std::vector<ExportedSeries> &all);

} // namespace popscope::host::events
