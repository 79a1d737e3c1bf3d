// An event in place: parsing finds its fields but copies and allocates nothing.
// All views point into the payload and share its lifetime.
#pragma once

#include "summary/encoding/wire.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
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

// The metadata of a value; readers use only those of a tag's first value.
struct MetadataView {
  std::string_view plugin;
  std::string_view content;
  std::string_view displayName;
  std::string_view description;
  std::uint64_t dataClass = 0; // proto::DataClass

  // Empty if the bytes are not a SummaryMetadata.
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

  // Empty if the bytes are not a Summary.Value.
  static std::optional<ValueView> parse(std::string_view bytes);
};

struct EventView {
  double wallTime = 0; // as stored; other writers' files may hold NaN
  std::int64_t step = 0;
  EventKind kind = EventKind::none;
  std::string_view content; // of the field that gives the kind
  std::string_view writer;  // SourceMetadata.writer

  // Empty if the payload is not an Event.
  static std::optional<EventView> parse(std::string_view payload);
};

// Walks the values of an event of kind summary:
//
//   for (ValueCursor values(event); const auto value = values.next();) ...
class ValueCursor {
public:
  explicit ValueCursor(const EventView &event)
      : left_(event.kind == EventKind::summary ? event.content
                                               : std::string_view()) {}

  // Empty at the end and after the first malformed value.
  std::optional<ValueView> next() {
    return beginsWithScalar() ? takeScalar() : takeAny();
  }
  bool failed() const { return failed_; }
  // True after the last value and after a malformed one.
  bool atEnd() const { return left_.empty(); }

  // Skips the next value if it is a scalar of this tag in the encoding most
  // writers choose; much faster than next() where the tag can be foreseen.
  bool skipScalar(std::string_view tag);

private:
  // Most values of most logs are a short tag and a float, in that order, and
  // have these bytes: 0a LENGTH 0a TAG-LENGTH tag... 15 float.
  bool beginsWithScalar() const;
  std::optional<ValueView> takeScalar();
  std::optional<ValueView> takeAny();

  std::string_view left_; // fields of the summary that were not visited yet
  bool failed_ = false;
};

inline bool ValueCursor::beginsWithScalar() const {
  if (left_.size() < 4 || left_[0] != 0x0a || left_[2] != 0x0a)
    return false;
  const auto length = static_cast<unsigned char>(left_[1]);
  const auto tagLength = static_cast<unsigned char>(left_[3]);
  return length < 0x80 && length == tagLength + 2 + 1 + sizeof(float) &&
         left_.size() >= std::size_t(length) + 2 &&
         left_[4 + tagLength] == 0x15;
}

// As ==, without the call of memcmp, which takes longer than to compare a tag.
inline bool haveSameBytes(std::string_view a, std::string_view b) {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  const auto sameWord = [&](std::size_t at) {
    return loadLittleEndian<std::uint64_t>(a.data() + at) ==
           loadLittleEndian<std::uint64_t>(b.data() + at);
  };
  if (a.size() != b.size())
    return false;
  if (a.size() < kWord)
    return a == b;
  for (std::size_t at = 0; at + kWord < a.size(); at += kWord)
    if (!sameWord(at))
      return false;
  return sameWord(a.size() - kWord);
}

inline bool ValueCursor::skipScalar(std::string_view tag) {
  if (!beginsWithScalar() ||
      !haveSameBytes(left_.substr(4, static_cast<unsigned char>(left_[3])),
                     tag))
    return false;
  left_.remove_prefix(5 + tag.size() + sizeof(float));
  return true;
}

inline std::optional<ValueView> ValueCursor::takeScalar() {
  std::optional<ValueView> value(std::in_place);
  const auto tagLength = static_cast<unsigned char>(left_[3]);
  value->tag = left_.substr(4, tagLength);
  value->form = ValueView::Form::simpleValue;
  const auto bits =
      loadLittleEndian<std::uint32_t>(left_.data() + 5 + tagLength);
  std::memcpy(&value->simpleValue, &bits, sizeof bits);
  left_.remove_prefix(5 + tagLength + sizeof(float));
  return value;
}

} // namespace popscope::summary
