#include "host/events/run_index.hpp"

#include <algorithm>
#include <cmath>

namespace popscope::host::events {

namespace {

using summary::ValueView;

std::string kindOf(const ValueView &value) {
  const auto metadata = summary::MetadataView::parse(value.metadata);
  if (metadata && !metadata->plugin.empty())
    return std::string(metadata->plugin);
  switch (value.form) {
  case ValueView::Form::simpleValue:
    return "scalars";
  case ValueView::Form::histogram:
    return "histograms";
  case ValueView::Form::image:
    return "images";
  case ValueView::Form::audio:
    return "audio";
  case ValueView::Form::tensor: // no plugin claims it
  case ValueView::Form::oldHistogram:
  case ValueView::Form::none:
    break;
  }
  return "none";
}

void count(TagSeries &series, const ValueView &value, std::int64_t step) {
  if (series.values == 0) {
    series.firstStep = step;
  } else {
    series.outOfOrder += step < series.lastStep;
    series.repeated += step == series.lastStep;
  }
  series.lastStep = step;
  series.minStep = std::min(series.minStep, step);
  series.maxStep = std::max(series.maxStep, step);
  series.bytes += value.form == ValueView::Form::simpleValue
                      ? sizeof value.simpleValue
                      : value.content.size();
  ++series.values;
}

} // namespace

TagSeries &RunIndex::seriesOf(const ValueView &value) {
  if (last_ != nullptr && last_->next != nullptr &&
      last_->next->tag == value.tag)
    return *(last_ = last_->next);

  const auto found = byTag_.find(value.tag);
  TagSeries *series = found == byTag_.end() ? nullptr : found->second;
  if (series == nullptr) {
    series = &tags_.emplace_back();
    series->tag = value.tag;
    series->kind = kindOf(value);
    series->metadata = value.metadata;
    byTag_.emplace(series->tag, series);
  }
  if (last_ != nullptr)
    last_->next = series;
  last_ = series;
  return *series;
}

void RunIndex::add(const summary::EventView &event) {
  ++events_[static_cast<std::size_t>(event.kind)];
  badTimes_ += !std::isfinite(event.wallTime);
  summary::ValueCursor values(event);
  while (const auto value = values.next())
    count(seriesOf(*value), *value, event.step);
  badSummaries_ += values.failed();
}

} // namespace popscope::host::events
