#include "host/report/history_reader.hpp"

#include "host/record/tap_tag.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "summary/reading/decoded_value.hpp"
#include "summary/reading/event_reader.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

// What a tag holds; those of a log are few, its values are many.
struct Meaning {
  std::string base; // GROUP/NAME; empty if it is no tag of a tap
  std::optional<std::size_t> statistic; // its place; none for the histogram
};

class Meanings {
public:
  const Meaning &operator()(std::string_view tag) {
    key_ = tag;
    const auto found = known_.find(key_);
    return found != known_.end()
               ? found->second
               : known_.emplace(key_, read(tag)).first->second;
  }

private:
  static Meaning read(std::string_view tag) {
    const std::optional<TapTag> parts = parseTapTag(tag);
    if (!parts)
      return {};
    const auto place = placeOfStatistic(parts->statistic);
    if (!place && parts->statistic != "histogram")
      return {};
    return {std::string(parts->base), place};
  }

  std::unordered_map<std::string, Meaning> known_;
  std::string key_; // keeps its memory between look-ups
};

// Calls `visit` with every value of a tapped tensor. Returns a line for each
// damaged file.
template <class Visit>
std::vector<std::string> forEachValue(const fs::path &directory, Visit visit) {
  Meanings meanings;
  summary::RunReader reader(directory);
  while (const auto event = reader.next()) {
    if (event->step < 0 ||
        event->step > std::numeric_limits<std::uint32_t>::max())
      continue;
    for (summary::ValueCursor values(*event);
         const auto value = values.next();) {
      const Meaning &meaning = meanings(value->tag);
      if (!meaning.base.empty())
        visit(meaning, std::uint32_t(event->step), *value);
    }
  }
  std::vector<std::string> lines;
  for (const auto &[file, damage] : reader.damages())
    lines.push_back(file.string() + " is damaged; what follows in it is not "
                                    "shown (popscope events doctor)");
  return lines;
}

} // namespace

HistoryReader::HistoryReader(const fs::path &run,
                             std::vector<outfeed::TensorTraits> tensors)
    : tensors_(std::move(tensors)) {
  for (std::size_t i = 0; i < tensors_.size(); ++i) {
    outfeed::Tap tap;
    tap.tensor = tensors_[i];
    places_.emplace(outfeed::groupedTag(tap).name(), i);
  }
  directories_.push_back({run, {}});
  std::error_code none;
  if (fs::is_directory(run / "recorder", none))
    directories_.push_back({run / "recorder", {}});
}

void HistoryReader::findUpdates(UpdateColumns &columns) {
  for (Directory &directory : directories_) {
    std::unordered_map<std::string, std::uint32_t> last;
    forEachValue(directory.path, [&](const Meaning &meaning,
                                     std::uint32_t update,
                                     const summary::ValueView &) {
      const auto [found, isNew] = last.emplace(meaning.base, update);
      if (!isNew && found->second == update)
        return;
      found->second = update;
      directory.points[meaning.base].replaced.add(update);
      columns.add(update);
    });
  }
}

std::size_t HistoryReader::placeOf(const std::string &base) const {
  const auto found = places_.find(base);
  if (found != places_.end())
    return found->second;
  // Samples of replicas and micro-batches may be kept apart.
  const std::size_t apart = base.find("/replica_");
  const auto whole = places_.find(base.substr(0, apart));
  return apart == base.npos || whole == places_.end() ? tensors_.size()
                                                      : whole->second;
}

outfeed::TensorTraits HistoryReader::traitsOf(const std::string &base) const {
  using graph::TensorKind;
  if (const std::size_t place = placeOf(base); place < tensors_.size())
    return tensors_[place];
  const std::size_t slash = base.find('/');
  outfeed::TensorTraits guess;
  guess.name = base.substr(slash + 1);
  for (const TensorKind kind :
       {TensorKind::gradient, TensorKind::update, TensorKind::weight})
    if (base.substr(0, slash) == outfeed::tagGroup(kind))
      guess.kind = kind;
  return guess;
}

// Values of a sample come one by one; it is complete when those of another
// update follow, or none at all.
struct HistoryReader::Series {
  TensorHistory history;
  std::optional<std::uint32_t> update;  // of the last value
  std::optional<RecordedSample> sample; // of that update; none if it does not
                                        // remain
  std::optional<summary::Histogram> histogram;

  void begin(std::uint32_t next, bool remains, const UpdateColumns &columns) {
    finish(columns);
    update = next;
    if (remains)
      sample.emplace().update = next;
  }
  void finish(const UpdateColumns &columns) {
    if (sample)
      history.add(*sample, histogram, columns.columnOf(sample->update));
    update.reset();
    sample.reset();
    histogram.reset();
  }
};

std::vector<TensorHistory> HistoryReader::read(const UpdateColumns &columns) {
  std::map<std::pair<std::size_t, std::string>, Series> all; // in their order
  for (Directory &directory : directories_) {
    const auto take = [&](const Meaning &meaning, std::uint32_t update,
                          const summary::ValueView &value) {
      const auto found = directory.points.find(meaning.base);
      if (found == directory.points.end())
        return; // written since the first look
      Points &points = found->second;
      if (!points.series)
        points.series = &all[{placeOf(meaning.base), meaning.base}];
      Series &series = *points.series;
      if (series.update != update)
        series.begin(update, points.replaced.remains(update), columns);
      if (!series.sample)
        return;
      if (!meaning.statistic)
        series.histogram = decodeHistogram(value);
      else if (const auto number = decodeScalar(value))
        series.sample->values[*meaning.statistic] = float(*number);
    };
    for (std::string &line : forEachValue(directory.path, take))
      damages_.push_back(std::move(line));
    for (auto &[key, series] : all)
      series.finish(columns);
  }
  std::vector<TensorHistory> result;
  for (auto &[key, series] : all) {
    if (series.history.samples == 0)
      continue;
    series.history.tag = key.second.substr(key.second.find('/') + 1);
    series.history.tensor = traitsOf(key.second);
    result.push_back(std::move(series.history));
  }
  return result;
}

} // namespace popscope::host
