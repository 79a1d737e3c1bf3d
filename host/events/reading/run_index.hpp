// What a run holds, tag by tag.
#pragma once

#include "host/events/reading/tag_counts.hpp"
#include "summary/reading/event_view.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace popscope::host::events {

struct TagSeries {
  std::string tag;
  // The tag whose value followed this tag's value last time.
  TagSeries *successor = nullptr;
  TagCounts counts;
  // The plugin that shows the tag; "none" if no plugin does.
  std::string kind;
  std::string metadata; // of the first value; empty if it had none
};

// The plugin that shows a value. As in TensorBoard, the older forms imply their
// plugin whatever the metadata say; a tensor belongs to the plugin of its tag.
std::string_view pluginOf(summary::ValueView::Form form,
                          std::string_view pluginOfTag);

class RunIndex {
public:
  RunIndex() = default;
  RunIndex(RunIndex &&) = default; // not copied: it points into itself
  RunIndex &operator=(RunIndex &&) = default;

  // Counts the event and all its values.
  void add(const summary::EventView &event);

  // Adds the counts of `later`, whose events follow those counted here.
  void append(const RunIndex &later);

  // The series of the value's tag, created if the tag is new. Counts nothing.
  TagSeries &seriesOf(const summary::ValueView &value);

  // In the order of their first values; a series never moves.
  const std::deque<TagSeries> &tags() const { return tags_; }

  std::uint64_t events(summary::EventKind kind) const {
    return events_[static_cast<std::size_t>(kind)];
  }
  // Events whose time is NaN or infinite.
  std::uint64_t badTimes() const { return badTimes_; }
  // Summaries that contain something that cannot be parsed as a value.
  std::uint64_t badSummaries() const { return badSummaries_; }

private:
  static constexpr std::size_t kEventKinds = 8;

  TagSeries *find(std::string_view tag) const;
  TagSeries &create(std::string_view tag, std::string kind,
                    std::string_view metadata);
  void addValues(const summary::EventView &event);

  std::deque<TagSeries> tags_;
  std::unordered_map<std::string_view, TagSeries *> byTag_;
  // Writers mostly send their tags in the same order at every step. Comparing
  // the next value with the tag expected there is faster than looking it up.
  TagSeries *last_ = nullptr; // of the last value

  std::uint64_t events_[kEventKinds] = {};
  std::uint64_t badTimes_ = 0;
  std::uint64_t badSummaries_ = 0;
};

} // namespace popscope::host::events
