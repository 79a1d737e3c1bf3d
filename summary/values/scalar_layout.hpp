// The Custom Scalars page: which scalars share a chart.
#pragma once

#include "summary/tag.hpp"
#include "summary/values/value.hpp"

#include <string>
#include <variant>
#include <vector>

namespace popscope::summary {

// Every scalar whose tag begins with a match of one of these regular
// expressions is a line.
struct LinesChart {
  std::string title;
  std::vector<std::string> tagPatterns;
};

// Lines within a band.
struct BandChart {
  struct Series {
    Tag value, lower, upper;
  };
  std::string title;
  std::vector<Series> series;
};

struct ChartCategory {
  std::string title;
  std::vector<std::variant<LinesChart, BandChart>> charts;
};

// At most one per run; the page merges those of several runs by title.
struct ScalarLayout {
  std::vector<ChartCategory> categories;
};

Value toValue(const ScalarLayout &layout);

// The tag the page looks for.
const Tag &scalarLayoutTag();

} // namespace popscope::summary
