#include "host/events/writing/merged_run.hpp"

#include "summary/proto/event.pb.h"
#include "summary/records/record_format.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace popscope::host::events {

namespace {

namespace proto = summary::proto;
using summary::EventKind;
using summary::EventView;

constexpr std::size_t kMostOpen = 64; // files

// What comes first in a sorted list; NaN would break the order.
double sortable(double wallTime) {
  return std::isnan(wallTime) ? -std::numeric_limits<double>::infinity()
                              : wallTime;
}

bool announcesRestart(const EventView &event) {
  proto::SessionLog log;
  return event.kind == EventKind::sessionLog &&
         log.ParseFromArray(event.content.data(),
                            static_cast<int>(event.content.size())) &&
         log.status() == proto::SessionLog::START;
}

std::uint64_t countValues(const EventView &event) {
  std::uint64_t count = 0;
  for (summary::ValueCursor values(event); values.next();)
    ++count;
  return count;
}

} // namespace

MergedRun::MergedRun(std::vector<LogRun> parts, FileWalk &walk)
    : parts_(std::move(parts)) {
  for (std::size_t part = 0; part < parts_.size(); ++part)
    readPart(part, walk);
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place &a, const Place &b) {
                     return std::make_pair(a.step, sortable(a.wallTime)) <
                            std::make_pair(b.step, sortable(b.wallTime));
                   });
}

void MergedRun::readPart(std::size_t part, FileWalk &walk) {
  struct Restart {
    std::size_t place; // of the first event after it
    std::int64_t step;
  };
  const std::size_t first = places_.size();
  std::vector<Restart> restarts;
  for (const auto &path : parts_[part].files) {
    const std::size_t number = files_.size();
    files_.push_back(path);
    const FileState file = walk.walk(
        path, [&](const EventView &event, const summary::EventReader &reader) {
          index_.add(event);
          if (announcesRestart(event))
            restarts.push_back({places_.size(), event.step});
          else if (event.kind != EventKind::fileVersion)
            places_.push_back({event.step, event.wallTime, part, number,
                               reader.records().offset(),
                               reader.payload().size(), countValues(event)});
        });
    requireReadable(file);
    allWhole_ = reportUnlessWhole(file) && allWhole_;
  }
  // From the last one to the first: what is before a restart stays if its step
  // is lower than that of this restart and of all later ones.
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::vector<Place> kept;
  for (std::size_t i = places_.size(); i-- > first;) {
    for (; !restarts.empty() && restarts.back().place > i; restarts.pop_back())
      lowest = std::min(lowest, restarts.back().step);
    if (places_[i].step < lowest)
      kept.push_back(places_[i]);
    else
      purged_ += places_[i].values;
  }
  places_.resize(first);
  places_.insert(places_.end(), kept.rbegin(), kept.rend());
}

LogRun MergedRun::source() const { return {parts_.front().name, files_}; }

std::string MergedRun::fileName() const {
  double first = std::numeric_limits<double>::infinity();
  for (const Place &place : places_)
    if (std::isfinite(place.wallTime))
      first = std::min(first, place.wallTime);
  constexpr double kMost = 9'999'999'999; // seconds, in ten digits
  const double seconds =
      std::isfinite(first) ? std::min(std::max(first, 0.0), kMost) : 0;
  char name[64];
  std::snprintf(name, sizeof name, "events.out.tfevents.%010lld.merged",
                static_cast<long long>(seconds));
  return name;
}

std::string MergedRun::payloadAt(const Place &place) {
  if (open_.size() == kMostOpen && open_.count(place.file) == 0)
    open_.clear();
  const auto [found, isNew] = open_.try_emplace(place.file);
  std::ifstream &file = found->second;
  if (isNew)
    file.open(files_[place.file], std::ios::binary);
  std::string payload(place.bytes, '\0');
  file.seekg(static_cast<std::streamoff>(place.offset + summary::kHeaderBytes));
  file.read(payload.data(), static_cast<std::streamsize>(payload.size()));
  if (!file)
    throw std::runtime_error(files_[place.file].string() +
                             ": changed while it was read");
  return payload;
}

void MergedRun::write(Taps taps, NewEventFile &output, MergeCounts &counts) {
  counts.replaced += purged_;
  proto::Event version;
  version.set_file_version("brain.Event:2");
  version.set_wall_time(
      std::isfinite(places_.front().wallTime) ? places_.front().wallTime : 0);
  output.append(version.SerializeAsString());
  for (std::size_t i = 0; i < places_.size();) {
    MergedStep step;
    const std::int64_t number = places_[i].step;
    for (; i < places_.size() && places_[i].step == number; ++i)
      step.add(places_[i].part, payloadAt(places_[i]));
    step.resolve(taps, counts);
    for (const MergedStep::Event &event : step.events())
      writeEvent(event, output, counts);
  }
}

void MergedRun::writeEvent(const MergedStep::Event &event, NewEventFile &output,
                           MergeCounts &counts) {
  if (event.view.kind != EventKind::summary) {
    const std::string_view content = event.view.content;
    const std::size_t hash = std::hash<std::string_view>()(content);
    if (written_.emplace(hash, content.size()).second)
      output.append(event.payload);
    return;
  }
  std::uint64_t kept = 0;
  bool isChanged = false;
  for (const MergedStep::Value &value : event.values) {
    kept += value.isKept;
    isChanged = isChanged || value.isChanged() || needsMetadata(value);
  }
  if (kept == 0 && !event.values.empty())
    return;
  output.append(isChanged ? changed(event) : event.payload);
  counts.points += kept;
  for (const MergedStep::Value &value : event.values)
    if (value.isKept)
      described_.emplace(value.view.tag);
}

// Only the first value of a tag in each input has them, and readers honour only
// those of the first value in the output.
bool MergedRun::needsMetadata(const MergedStep::Value &value) {
  return value.isKept && value.view.metadata.empty() &&
         !index_.seriesOf(value.view).metadata.empty() &&
         described_.count(std::string(value.view.tag)) == 0;
}

std::string MergedRun::changed(const MergedStep::Event &event) {
  proto::Event result;
  if (!result.ParseFromString(event.payload))
    throw std::runtime_error("protobuf cannot parse an event");
  proto::Summary summary;
  for (std::size_t i = 0; i < event.values.size(); ++i) {
    const MergedStep::Value &value = event.values[i];
    if (!value.isKept)
      continue;
    proto::Summary::Value &copy = *summary.add_value();
    copy = result.summary().value(static_cast<int>(i));
    if (needsMetadata(value))
      copy.mutable_metadata()->ParseFromString(
          index_.seriesOf(value.view).metadata);
    if (value.scalar)
      copy.set_simple_value(static_cast<float>(*value.scalar));
    if (value.histogram) {
      copy.clear_value();
      copy.MergeFromString(summary::toValue(*value.histogram).body);
    }
  }
  *result.mutable_summary() = std::move(summary);
  return result.SerializeAsString();
}

} // namespace popscope::host::events
