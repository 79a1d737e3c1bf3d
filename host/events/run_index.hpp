// What a run holds, tag by tag.
#pragma once

#include "host/events/scalar_laps.hpp"
#include "summary/reading/event_view.hpp"
#include "summary/span.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace popscope::host::events {

// How many values a tag has, and at which steps. With ten thousand tags most
// are in no near cache, so each is a line of its own.
class alignas(64) TagCounts {
public:
  void add(std::int64_t step, std::size_t contentBytes);
  // Several scalars whose steps rise from the last one to `lastStep`.
  void addScalars(std::uint64_t count, std::int64_t lastStep);
  // Values that come after those counted here.
  void append(const TagCounts &later);

  std::uint64_t values() const { return values_; }
  std::uint64_t bytes() const { return bytes_; } // of the values' contents
  std::int64_t firstStep() const { return firstStep_; }
  std::int64_t lastStep() const { return lastStep_; }
  std::int64_t minStep() const { return std::min(firstStep_, lowest_); }
  std::int64_t maxStep() const { return std::max(lastStep_, highest_); }
  // Values with a step below the one before, and with the same.
  std::uint64_t outOfOrder() const { return outOfOrder_; }
  std::uint64_t repeated() const { return repeated_; }

private:
  void goBack(std::int64_t step);

  std::uint64_t values_ = 0;
  std::uint64_t bytes_ = 0;
  std::int64_t firstStep_ = 0;
  std::int64_t lastStep_ = 0;
  // Of the steps on either side of every place where they do not go up.
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_ = std::numeric_limits<std::int64_t>::min();
  std::uint64_t outOfOrder_ = 0;
  std::uint64_t repeated_ = 0;
};

// The plugin whose values these are. As in TensorBoard the older forms tell it
// by themselves, whatever the metadata say; a tensor is what its tag is.
std::string_view pluginOf(summary::ValueView::Form form,
                          std::string_view ofTensors);

struct TagSeries {
  std::size_t number; // in the order of their first values
  std::string tag;
  // The plugin that shows it. "none" if none does.
  std::string kind;
  std::string metadata; // of the first value; empty if it had none
};

class RunIndex {
public:
  RunIndex() = default;
  RunIndex(RunIndex &&) = default; // not copied: it points into itself
  RunIndex &operator=(RunIndex &&) = default;

  // Counts the event and all its values.
  void add(const summary::EventView &event);

  // Counts the event if it is one scalar of the tag that comes next, as most
  // are in the logs of writers that give every scalar an event; false, and
  // nothing is counted, if it is not.
  bool addExpectedScalar(std::string_view payload);

  // Counts the events of these records, up to the first that is no event.
  // Returns how many they are.
  std::size_t addRecords(summary::Span<const std::string_view> payloads);

  // Takes in what `later` counted, in events behind those counted here. Tags it
  // knew before a restart() must have been appended already, to this index.
  void append(RunIndex &later);
  // Forgets what was counted, but not the tags: they are found faster again.
  void restart();

  // The tag of the value, which is made known if it is new; nothing is
  // counted.
  const TagSeries &seriesOf(const summary::ValueView &value);

  // In the order of their first values.
  const std::deque<TagSeries> &tags() const { return tags_; }
  TagCounts counts(const TagSeries &series) const {
    return counts(series.number);
  }

  std::uint64_t events(summary::EventKind kind) const {
    return events_[static_cast<std::size_t>(kind)];
  }
  // Events whose time is NaN or infinite.
  std::uint64_t badTimes() const { return badTimes_; }
  // Summaries that end in something that is no value.
  std::uint64_t badSummaries() const { return badSummaries_; }

private:
  static constexpr std::size_t kEventKinds = 8;
  static constexpr std::uint32_t kUnknown = ~std::uint32_t(0);

  TagCounts counts(std::size_t number) const;
  const TagSeries *find(std::string_view tag) const;
  const TagSeries &makeKnown(std::string_view tag, std::string kind,
                             std::string_view metadata);
  void expectBehind(std::size_t number) {
    last_ = number;
    expected_ = follows_[number];
    // Of ten thousand tags, what is known of the next one is far away.
    __builtin_prefetch(&counts_[expected_]);
    __builtin_prefetch(starts_.data() + startAt_[expected_]);
  }
  void noteThatComes(std::size_t number) {
    follows_[last_] = static_cast<std::uint32_t>(number);
    expectBehind(number);
  }
  void addValues(const summary::EventView &event);
  void noteScalarEvents(summary::Span<const std::string_view> payloads);
  std::size_t addScalars(summary::Span<const std::string_view> payloads);
  void addScalar(std::size_t number, std::int64_t step);
  bool beginsLaps(const summary::EventView &event);
  void settleLaps();
  std::string_view scalarStart(std::size_t number) const {
    return std::string_view(starts_).substr(
        startAt_[number], startAt_[number + 1] - startAt_[number]);
  }

  std::deque<TagSeries> tags_; // stays in place as it grows
  std::unordered_map<std::string_view, const TagSeries *> byTag_;

  // Most writers send their tags in the same order in every step, so the next
  // one is mostly known without hashing its name or even parsing the value. For
  // that, what counting a scalar touches lies side by side in memory.
  std::size_t last_ = 0;     // number of the tag of the last value
  std::size_t expected_ = 0; // of the one that followed it last time
  std::vector<std::uint32_t> follows_;
  std::vector<TagCounts> counts_;
  std::string starts_;                  // scalarStart of every tag
  std::vector<std::size_t> startAt_{0}; // of each in `starts_`, and the end
  ScalarLaps laps_;
  // Of its tags in the index it is appended to.
  std::vector<std::uint32_t> numbersElsewhere_;

  std::uint64_t events_[kEventKinds] = {};
  std::uint64_t badTimes_ = 0;
  std::uint64_t badSummaries_ = 0;
};

inline void TagCounts::add(std::int64_t step, std::size_t contentBytes) {
  if (values_ == 0)
    firstStep_ = step;
  else if (step <= lastStep_)
    goBack(step);
  lastStep_ = step;
  bytes_ += contentBytes;
  ++values_;
}

} // namespace popscope::host::events
