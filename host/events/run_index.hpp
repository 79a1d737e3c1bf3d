// What a run holds, tag by tag.
#pragma once

#include "summary/event_view.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>

namespace popscope::host::events {

// The values of one tag.
struct TagSeries {
  std::string tag;
  // The plugin that shows it: of the first value's metadata, or else what
  // TensorBoard derives from the form of the value. "none" if it shows nothing.
  std::string kind;
  std::string metadata; // of the first value; empty if it had none
  std::uint64_t values = 0;
  std::uint64_t bytes = 0; // of the values' contents
  std::int64_t firstStep = 0;
  std::int64_t lastStep = 0;
  std::int64_t minStep = std::numeric_limits<std::int64_t>::max();
  std::int64_t maxStep = std::numeric_limits<std::int64_t>::min();
  std::uint64_t outOfOrder = 0; // values with a step below the one before
  std::uint64_t repeated = 0;   // values with the step of the one before
  TagSeries *next = nullptr;    // the tag that followed when last seen
};

class RunIndex {
public:
  // Counts the event and all its values.
  void add(const summary::EventView &event);

  // The tag of the value, which is made known if it is new; nothing is
  // counted.
  TagSeries &seriesOf(const summary::ValueView &value);

  // In the order of their first values.
  const std::deque<TagSeries> &tags() const { return tags_; }

  std::uint64_t events(summary::EventKind kind) const {
    return events_[static_cast<std::size_t>(kind)];
  }
  // Events whose time is NaN or infinite.
  std::uint64_t badTimes() const { return badTimes_; }
  // Summaries that end in something that is no value.
  std::uint64_t badSummaries() const { return badSummaries_; }

private:
  static constexpr std::size_t kEventKinds = 8;

  std::deque<TagSeries> tags_; // stays in place as it grows
  std::unordered_map<std::string_view, TagSeries *> byTag_;
  // Most writers send their tags in the same order in every step, so the next
  // one is mostly known without hashing its name.
  TagSeries *last_ = nullptr;
  std::uint64_t events_[kEventKinds] = {};
  std::uint64_t badTimes_ = 0;
  std::uint64_t badSummaries_ = 0;
};

} // namespace popscope::host::events
