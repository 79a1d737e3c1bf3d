#include "host/events/reading/run_index.hpp"

#include <cmath>
#include <utility>

namespace popscope::host::events {

namespace {

using summary::ValueView;

std::string kindOf(const ValueView &value) {
  const auto metadata = summary::MetadataView::parse(value.metadata);
  const bool isNamed = metadata && !metadata->plugin.empty();
  return std::string(pluginOf(value.form, isNamed ? metadata->plugin : "none"));
}

std::size_t contentBytes(const ValueView &value) {
  return value.form == ValueView::Form::simpleValue ? sizeof value.simpleValue
                                                    : value.content.size();
}

} // namespace

std::string_view pluginOf(ValueView::Form form, std::string_view pluginOfTag) {
  switch (form) {
  case ValueView::Form::simpleValue:
    return "scalars";
  case ValueView::Form::histogram:
    return "histograms";
  case ValueView::Form::image:
    return "images";
  case ValueView::Form::audio:
    return "audio";
  case ValueView::Form::tensor:
  case ValueView::Form::none: // the metadata may hold everything
    return pluginOfTag;
  case ValueView::Form::oldHistogram:
    break;
  }
  return "none";
}

// Null if the tag is new.
TagSeries *RunIndex::find(std::string_view tag) const {
  if (last_ && last_->successor->tag == tag)
    return last_->successor;
  const auto found = byTag_.find(tag);
  return found == byTag_.end() ? nullptr : found->second;
}

TagSeries &RunIndex::create(std::string_view tag, std::string kind,
                            std::string_view metadata) {
  TagSeries &series = tags_.emplace_back();
  series.tag = tag;
  series.kind = std::move(kind);
  series.metadata = metadata;
  series.successor = &tags_.front(); // the next step begins with it
  byTag_.emplace(series.tag, &series);
  return series;
}

TagSeries &RunIndex::seriesOf(const ValueView &value) {
  TagSeries *const known = find(value.tag);
  TagSeries &series =
      known ? *known : create(value.tag, kindOf(value), value.metadata);
  if (last_)
    last_->successor = &series;
  last_ = &series;
  return series;
}

void RunIndex::addValues(const summary::EventView &event) {
  summary::ValueCursor values(event);
  while (!values.atEnd()) {
    if (last_ && values.skipScalar(last_->successor->tag)) {
      last_ = last_->successor;
      last_->counts.add(event.step, sizeof(float));
    } else if (const auto value = values.next()) {
      seriesOf(*value).counts.add(event.step, contentBytes(*value));
    }
  }
  badSummaries_ += values.failed();
}

void RunIndex::add(const summary::EventView &event) {
  ++events_[static_cast<std::size_t>(event.kind)];
  badTimes_ += !std::isfinite(event.wallTime);
  if (event.kind == summary::EventKind::summary)
    addValues(event);
}

void RunIndex::append(const RunIndex &later) {
  for (const TagSeries &series : later.tags_) {
    TagSeries *const known = find(series.tag);
    TagSeries &here =
        known ? *known : create(series.tag, series.kind, series.metadata);
    here.counts.append(series.counts);
    last_ = &here;
  }
  for (std::size_t kind = 0; kind < kEventKinds; ++kind)
    events_[kind] += later.events_[kind];
  badTimes_ += later.badTimes_;
  badSummaries_ += later.badSummaries_;
}

} // namespace popscope::host::events
