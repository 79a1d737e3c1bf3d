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
  const bool isNamed = metadata && !metadata->plugin.empty();
  return std::string(pluginOf(value.form, isNamed ? metadata->plugin : "none"));
}

std::size_t contentBytes(const ValueView &value) {
  return value.form == ValueView::Form::simpleValue ? sizeof value.simpleValue
                                                    : value.content.size();
}

} // namespace

std::string_view pluginOf(ValueView::Form form, std::string_view ofTensors) {
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
  case ValueView::Form::none: // of which the metadata may say all
    return ofTensors;
  case ValueView::Form::oldHistogram:
    break;
  }
  return "none";
}

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

TagCounts RunIndex::counts(std::size_t number) const {
  TagCounts counts = counts_[number];
  const ScalarLaps::Counted taken = laps_.counted(number);
  counts.addScalars(taken.values, taken.lastStep);
  return counts;
}

void RunIndex::settleLaps() {
  if (laps_.areTaken())
    for (const std::uint32_t number : laps_.tags()) {
      const ScalarLaps::Counted taken = laps_.counted(number);
      counts_[number].addScalars(taken.values, taken.lastStep);
    }
  laps_.end();
}

void RunIndex::addScalar(std::size_t number, std::int64_t step) {
  // There are others than before, so the laps are others, too.
  if (laps_.areTaken())
    settleLaps();
  laps_.learn(number, step);
  counts_[number].add(step, sizeof(float));
}

void RunIndex::addValues(const summary::EventView &event) {
  summary::ValueCursor values(event);
  bool hasScalars = false, hasOthers = false;
  while (!values.atEnd()) {
    if (expected_ < counts_.size() &&
        values.skipScalar(scalarStart(expected_))) {
      // Mostly those behind it follow, which is tried without looking it up.
      std::size_t number = expected_;
      do
        addScalar(number++, event.step);
      while (number < counts_.size() && values.skipScalar(scalarStart(number)));
      expectBehind(number - 1);
      hasScalars = true;
      continue;
    }
    summary::ValueCursor same = values;
    const auto value = values.next();
    if (!value)
      break;
    const std::size_t number = seriesOf(*value).number;
    if (same.skipScalar(scalarStart(number))) {
      addScalar(number, event.step);
      hasScalars = true;
      continue;
    }
    hasOthers = true;
    if (laps_.have(number))
      settleLaps();
    counts_[number].add(event.step, contentBytes(*value));
  }
  badSummaries_ += values.failed();
  if (hasScalars && hasOthers)
    laps_.spoil();
}

// Whether laps are taken from this event on.
bool RunIndex::beginsLaps(const summary::EventView &event) {
  const auto first = laps_.firstOf(event.step);
  if (!first || !summary::ValueCursor(event).skipScalar(scalarStart(*first)))
    return false;
  laps_.begin([this](std::size_t number) { return scalarStart(number); });
  if (laps_.take(event.step, event.content))
    return true;
  laps_.end();
  return false;
}

void RunIndex::noteScalarEvents(
    summary::Span<const std::string_view> payloads) {
  for (const std::string_view payload : payloads)
    badTimes_ += !hasFiniteTime(payload);
  events_[static_cast<std::size_t>(summary::EventKind::summary)] +=
      payloads.size();
}

std::size_t
RunIndex::addScalars(summary::Span<const std::string_view> payloads) {
  const std::size_t taken = laps_.takeScalars(payloads);
  noteScalarEvents(payloads.first(taken));
  return taken;
}

bool RunIndex::addExpectedScalar(std::string_view payload) {
  const summary::Span<const std::string_view> one(&payload, 1);
  if (laps_.areTaken())
    return addScalars(one) == 1;
  if (expected_ >= counts_.size())
    return false;
  const auto head = EventHead::parse(payload);
  const std::string_view start = scalarStart(expected_);
  const std::size_t size = start.size() + sizeof(float);
  if (!head || start.empty() || size >= 0x80 ||
      payload.size() != head->bytes + 1 + size ||
      payload[head->bytes] != static_cast<char>(size) ||
      !summary::haveEqualBytes(payload.data() + head->bytes + 1, start.data(),
                               start.size()))
    return false;
  if (laps_.firstOf(head->step) == expected_) {
    laps_.begin([this](std::size_t number) { return scalarStart(number); });
    return addScalars(one) == 1;
  }
  noteScalarEvents(one);
  addScalar(expected_, head->step);
  expectBehind(expected_);
  return true;
}

std::size_t
RunIndex::addRecords(summary::Span<const std::string_view> payloads) {
  for (std::size_t i = 0;; ++i) {
    i += addScalars(payloads.from(i));
    if (i == payloads.size())
      return i;
    if (addExpectedScalar(payloads[i]))
      continue;
    const auto event = summary::EventView::parse(payloads[i]);
    if (!event)
      return i;
    add(*event);
  }
}

void RunIndex::append(RunIndex &later) {
  settleLaps();
  later.numbersElsewhere_.resize(later.tags_.size(), kUnknown);
  for (std::size_t theirs = 0; theirs < later.tags_.size(); ++theirs) {
    const TagCounts counts = later.counts(theirs);
    if (counts.values() == 0)
      continue;
    std::uint32_t &number = later.numbersElsewhere_[theirs];
    if (number == kUnknown) {
      const TagSeries &series = later.tags_[theirs];
      const TagSeries *const known = find(series.tag);
      number = static_cast<std::uint32_t>(
          known ? known->number
                : makeKnown(series.tag, series.kind, series.metadata).number);
      noteThatComes(number);
    }
    counts_[number].append(counts);
  }
  for (std::size_t kind = 0; kind < kEventKinds; ++kind)
    events_[kind] += later.events_[kind];
  badTimes_ += later.badTimes_;
  badSummaries_ += later.badSummaries_;
}

void RunIndex::restart() {
  laps_.end();
  std::fill(counts_.begin(), counts_.end(), TagCounts());
  std::fill(std::begin(events_), std::end(events_), 0);
  badTimes_ = badSummaries_ = 0;
}

void RunIndex::add(const summary::EventView &event) {
  ++events_[static_cast<std::size_t>(event.kind)];
  badTimes_ += !std::isfinite(event.wallTime);
  if (event.kind != summary::EventKind::summary)
    return;
  if (laps_.take(event.step, event.content) || beginsLaps(event))
    return;
  if (laps_.areTaken())
    expectBehind(laps_.last());
  addValues(event);
}

} // namespace popscope::host::events
