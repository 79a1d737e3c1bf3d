#include "host/events/run_index.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

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

std::size_t contentBytes(const ValueView &value) {
  return value.form == ValueView::Form::simpleValue ? sizeof value.simpleValue
                                                    : value.content.size();
}

} // namespace

void TagCounts::goBack(std::int64_t step) {
  outOfOrder_ += step < lastStep_;
  repeated_ += step == lastStep_;
  lowest_ = std::min(lowest_, step);
  highest_ = std::max(highest_, lastStep_);
}

void TagCounts::addScalars(std::uint64_t count, std::int64_t lastStep) {
  values_ += count;
  bytes_ += count * sizeof(float);
  lastStep_ = count == 0 ? lastStep_ : lastStep;
}

void TagCounts::append(const TagCounts &later) {
  if (values_ == 0) {
    *this = later;
    return;
  }
  if (later.values_ == 0)
    return;
  if (later.firstStep_ <= lastStep_)
    goBack(later.firstStep_);
  values_ += later.values_;
  bytes_ += later.bytes_;
  lastStep_ = later.lastStep_;
  lowest_ = std::min(lowest_, later.lowest_);
  highest_ = std::max(highest_, later.highest_);
  outOfOrder_ += later.outOfOrder_;
  repeated_ += later.repeated_;
}

// Null if it is not known.
const TagSeries *RunIndex::find(std::string_view tag) const {
  if (expected_ < tags_.size() && tags_[expected_].tag == tag)
    return &tags_[expected_];
  const auto found = byTag_.find(tag);
  return found == byTag_.end() ? nullptr : found->second;
}

const TagSeries &RunIndex::makeKnown(std::string_view tag, std::string kind,
                                     std::string_view metadata) {
  const TagSeries &series = tags_.emplace_back(TagSeries{
      tags_.size(), std::string(tag), std::move(kind), std::string(metadata)});
  byTag_.emplace(series.tag, &series);
  counts_.emplace_back();
  follows_.push_back(0); // behind the last tag comes the first one again
  starts_ += summary::scalarStart(series.tag);
  startAt_.push_back(starts_.size());
  return series;
}

const TagSeries &RunIndex::seriesOf(const ValueView &value) {
  const TagSeries *const known = find(value.tag);
  const TagSeries &series =
      known ? *known : makeKnown(value.tag, kindOf(value), value.metadata);
  noteThatComes(series.number);
  return series;
}

TagCounts RunIndex::counts(const TagSeries &series) const {
  TagCounts counts = counts_[series.number];
  if (repeats_.has(series.number))
    counts.addScalars(repeats_.events, repeats_.lastStep);
  return counts;
}

void RunIndex::settleRepeats() {
  for (std::size_t number = repeats_.first; number < repeats_.end; ++number)
    counts_[number].addScalars(repeats_.events, repeats_.lastStep);
  repeats_.events = 0;
  repeats_.end = repeats_.first;
  repeats_.pattern.restart();
}

// Remembers a summary if all of it is scalars of tags that follow each other.
void RunIndex::learn(const summary::EventView &event) {
  summary::ValueCursor values(event);
  const auto first = values.next();
  if (!first)
    return;
  repeats_.first = byTag_.at(first->tag)->number;
  repeats_.end = repeats_.first + 1;
  repeats_.pattern.addScalar(scalarStart(repeats_.first));
  while (repeats_.end < tags_.size() &&
         values.skipScalar(scalarStart(repeats_.end)))
    repeats_.pattern.addScalar(scalarStart(repeats_.end++));
  repeats_.lastStep = event.step;
  if (!repeats_.pattern.matches(event.content))
    settleRepeats();
}

void RunIndex::addValues(const summary::EventView &event) {
  summary::ValueCursor values(event);
  while (!values.atEnd()) {
    if (expected_ < counts_.size() &&
        values.skipScalar(scalarStart(expected_))) {
      // Mostly those behind it follow, which is tried without looking it up.
      std::size_t number = expected_;
      do
        counts_[number++].add(event.step, sizeof(float));
      while (number < counts_.size() && values.skipScalar(scalarStart(number)));
      expectBehind(number - 1);
    } else if (const auto value = values.next()) {
      const TagSeries &series = seriesOf(*value);
      counts_[series.number].add(event.step, contentBytes(*value));
    }
  }
  badSummaries_ += values.failed();
}

// The bytes are 09 time 10 step... 2a LENGTH start float, with the length of
// start and float.
bool RunIndex::addExpectedScalar(std::string_view payload) {
  constexpr std::size_t kStepAt = 10;
  constexpr std::size_t kMostStepBytes = 4;
  if (expected_ >= counts_.size() || repeats_.end != repeats_.first)
    return false;
  const std::string_view start = scalarStart(expected_);
  const std::size_t size = start.size() + sizeof(float);
  const std::size_t others = kStepAt + 2 + size; // than the step
  if (start.empty() || size >= 0x80 || payload.size() <= others ||
      payload.size() > others + kMostStepBytes)
    return false;
  const char *const value = payload.data() + payload.size() - size;
  if (payload[0] != 0x09 || payload[kStepAt - 1] != 0x10 || value[-2] != 0x2a ||
      value[-1] != static_cast<char>(size) ||
      !summary::haveEqualBytes(value, start.data(), start.size()))
    return false;
  std::uint32_t step = 0;
  unsigned shift = 0;
  const char *at = payload.data() + kStepAt;
  for (const char *const last = value - 3; at < last; ++at, shift += 7) {
    if (static_cast<signed char>(*at) >= 0)
      return false;
    step |= std::uint32_t(*at & 0x7f) << shift;
  }
  if (static_cast<signed char>(*at) < 0)
    return false;
  step |= std::uint32_t(*at) << shift;
  double time;
  std::memcpy(&time, payload.data() + 1, sizeof time);
  badTimes_ += !std::isfinite(time);
  ++events_[static_cast<std::size_t>(summary::EventKind::summary)];
  counts_[expected_].add(step, sizeof(float));
  expectBehind(expected_);
  return true;
}

void RunIndex::append(const RunIndex &later) {
  settleRepeats();
  for (const TagSeries &theirs : later.tags_) {
    const TagCounts counts = later.counts(theirs);
    if (counts.values() == 0)
      continue;
    const TagSeries *const known = find(theirs.tag);
    const TagSeries &series =
        known ? *known : makeKnown(theirs.tag, theirs.kind, theirs.metadata);
    noteThatComes(series.number);
    counts_[series.number].append(counts);
  }
  for (std::size_t kind = 0; kind < kEventKinds; ++kind)
    events_[kind] += later.events_[kind];
  badTimes_ += later.badTimes_;
  badSummaries_ += later.badSummaries_;
}

void RunIndex::restart() {
  settleRepeats();
  std::fill(counts_.begin(), counts_.end(), TagCounts());
  std::fill(std::begin(events_), std::end(events_), 0);
  badTimes_ = badSummaries_ = 0;
}

void RunIndex::add(const summary::EventView &event) {
  ++events_[static_cast<std::size_t>(event.kind)];
  badTimes_ += !std::isfinite(event.wallTime);
  if (event.kind != summary::EventKind::summary)
    return;
  if (repeats_.end != repeats_.first && event.step > repeats_.lastStep &&
      repeats_.pattern.matches(event.content)) {
    ++repeats_.events;
    repeats_.lastStep = event.step;
    return;
  }
  if (repeats_.end != repeats_.first)
    settleRepeats();
  addValues(event);
  if (SummaryPattern::isWorthIt(event.content.size()))
    learn(event);
}

} // namespace popscope::host::events
