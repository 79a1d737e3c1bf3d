#include "summary/values/scalar_layout.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/encoding/utf8.hpp"
#include "summary/proto/plugin_data.pb.h"
#include "summary/values/tensor.hpp"

namespace popscope::summary {
namespace {

struct ChartSetter {
  proto::Chart &message;

  void operator()(const LinesChart &chart) const {
    message.set_title(toUtf8(chart.title));
    for (const std::string &pattern : chart.tagPatterns)
      message.mutable_multiline()->add_tag(toUtf8(pattern));
  }
  void operator()(const BandChart &chart) const {
    message.set_title(toUtf8(chart.title));
    for (const auto &series : chart.series) {
      auto *entry = message.mutable_margin()->add_series();
      entry->set_value(series.value.name());
      entry->set_lower(series.lower.name());
      entry->set_upper(series.upper.name());
    }
  }
};

} // namespace

Value toValue(const ScalarLayout &layout) {
  proto::Layout message;
  for (const ChartCategory &category : layout.categories) {
    auto *entry = message.add_category();
    entry->set_title(toUtf8(category.title));
    for (const auto &chart : category.charts)
      std::visit(ChartSetter{*entry->add_chart()}, chart);
  }
  return toValue(StringTensor{{}, {serialize(message)}},
                 {"custom_scalars", {}, {}, {}});
}

const Tag &scalarLayoutTag() {
  static const Tag tag("custom_scalars__config__");
  return tag;
}

} // namespace popscope::summary
