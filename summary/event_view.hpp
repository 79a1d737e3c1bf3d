// An event as it lies in its record: fields found, nothing copied, nothing
// allocated. All views look into the payload and share its lifetime.
#pragma once

#include "summary/wire.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace popscope::summary {

enum class EventKind {
  none, // only a time and perhaps a step
  fileVersion,
  graphDef,
  summary,
  logMessage,
  sessionLog,
  taggedRunMetadata,
  metaGraphDef,
};

std::string_view nameOf(EventKind kind);

// The metadata of a value; readers honour that of a tag's first value only.
struct MetadataView {
  std::string_view plugin;
  std::string_view content;
  std::string_view displayName;
  std::string_view description;
  std::uint64_t dataClass = 0; // proto::DataClass

  // Empty if the bytes are no SummaryMetadata.
  static std::optional<MetadataView> parse(std::string_view bytes);
};

// One value of a summary.
struct ValueView {
  enum class Form {
    none,
    simpleValue,
    oldHistogram,
    image,
    histogram,
    audio,
    tensor
  };

  std::string_view tag;
  Form form = Form::none;
  float simpleValue = 0;     // if that is the form
  std::string_view content;  // else the serialised message of that form
  std::string_view metadata; // serialised SummaryMetadata; empty if none

  // Empty if the bytes are no Summary.Value.
  static std::optional<ValueView> parse(std::string_view bytes);
};

struct EventView {
  double wallTime = 0; // as stored; other writers' files may hold NaN
  std::int64_t step = 0;
  EventKind kind = EventKind::none;
  std::string_view content; // of the field that gives the kind
  std::string_view writer;  // SourceMetadata.writer

  // Empty if the payload is no Event.
  static std::optional<EventView> parse(std::string_view payload);
};

// Walks the values of an event of kind summary:
//
//   for (ValueCursor values(event); const auto value = values.next();) ...
class ValueCursor {
public:
  explicit ValueCursor(const EventView &event)
      : fields_(event.kind == EventKind::summary ? event.content
                                                 : std::string_view()) {}

  // Empty at the end, and from the first malformed value on.
  std::optional<ValueView> next();
  bool failed() const { return failed_; }

private:
  std::optional<ValueView> parseEntry();

  wire::Reader fields_;
  bool failed_ = false;
};

} // namespace popscope::summary
