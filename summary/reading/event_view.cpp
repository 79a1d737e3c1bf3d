#include "summary/reading/event_view.hpp"

#include "summary/encoding/event_fields.hpp"

namespace popscope::summary {

using wire::key;
using wire::Type;

namespace {

// Most events hold exactly a time, a step and a summary, in that order. Code
// without a loop lets the processor predict every branch.
bool parseUsual(std::string_view payload, EventView &event) {
  wire::Reader fields(payload);
  if (!fields.next() ||
      fields.key() != key(fields::kEventWallTime, Type::fixed64))
    return false;
  event.wallTime = fields.asDouble();
  if (!fields.next() || fields.key() != key(fields::kEventStep, Type::varint))
    return false;
  event.step = static_cast<std::int64_t>(fields.bits());
  if (!fields.next() || fields.key() != key(fields::kEventSummary, Type::bytes))
    return false;
  event.kind = EventKind::summary;
  event.content = fields.bytes();
  return fields.rest().empty();
}

} // namespace

std::string_view nameOf(EventKind kind) {
  switch (kind) {
  case EventKind::none:
    return "none";
  case EventKind::fileVersion:
    return "file version";
  case EventKind::graphDef:
    return "graph";
  case EventKind::summary:
    return "summary";
  case EventKind::logMessage:
    return "log message";
  case EventKind::sessionLog:
    return "session log";
  case EventKind::taggedRunMetadata:
    return "run metadata";
  case EventKind::metaGraphDef:
    return "meta graph";
  }
  return "unknown";
}

// The parsers fill their result in place: copying a view would cost more than
// finding its fields.

std::optional<MetadataView> MetadataView::parse(std::string_view bytes) {
  std::optional<MetadataView> result(std::in_place);
  wire::Reader fields(bytes);
  bool ok = true;
  while (fields.next())
    switch (fields.key()) {
    case key(fields::kMetadataPluginData, Type::bytes): {
      wire::Reader plugin(fields.bytes());
      while (plugin.next())
        if (plugin.key() == key(fields::kPluginName, Type::bytes))
          result->plugin = plugin.bytes();
        else if (plugin.key() == key(fields::kPluginContent, Type::bytes))
          result->content = plugin.bytes();
      ok = ok && !plugin.failed();
      break;
    }
    case key(fields::kMetadataDisplayName, Type::bytes):
      result->displayName = fields.bytes();
      break;
    case key(fields::kMetadataDescription, Type::bytes):
      result->description = fields.bytes();
      break;
    case key(fields::kMetadataDataClass, Type::varint):
      result->dataClass = fields.bits();
      break;
    default:
      break;
    }
  if (fields.failed() || !ok)
    result.reset();
  return result;
}

std::optional<ValueView> ValueView::parse(std::string_view bytes) {
  std::optional<ValueView> result(std::in_place);
  wire::Reader fields(bytes);
  const auto holds = [&](Form form) {
    result->form = form;
    result->content = fields.bytes();
  };
  while (fields.next())
    switch (fields.key()) {
    case key(fields::kValueTag, Type::bytes):
      result->tag = fields.bytes();
      break;
    case key(fields::kValueSimple, Type::fixed32):
      result->form = Form::simpleValue;
      result->simpleValue = fields.asFloat();
      break;
    case key(fields::kValueOldHistogram, Type::bytes):
      holds(Form::oldHistogram);
      break;
    case key(fields::kValueImage, Type::bytes):
      holds(Form::image);
      break;
    case key(fields::kValueHistogram, Type::bytes):
      holds(Form::histogram);
      break;
    case key(fields::kValueAudio, Type::bytes):
      holds(Form::audio);
      break;
    case key(fields::kValueTensor, Type::bytes):
      holds(Form::tensor);
      break;
    case key(fields::kValueMetadata, Type::bytes):
      result->metadata = fields.bytes();
      break;
    default:
      break;
    }
  if (fields.failed())
    result.reset();
  return result;
}

std::optional<EventView> EventView::parse(std::string_view payload) {
  std::optional<EventView> result(std::in_place);
  if (parseUsual(payload, *result))
    return result;
  result.emplace();
  wire::Reader fields(payload);
  bool ok = true;
  const auto holds = [&](EventKind kind) {
    result->kind = kind;
    result->content = fields.bytes();
  };
  while (fields.next())
    switch (fields.key()) {
    case key(fields::kEventWallTime, Type::fixed64):
      result->wallTime = fields.asDouble();
      break;
    case key(fields::kEventStep, Type::varint):
      result->step = static_cast<std::int64_t>(fields.bits());
      break;
    case key(fields::kEventFileVersion, Type::bytes):
      holds(EventKind::fileVersion);
      break;
    case key(fields::kEventGraphDef, Type::bytes):
      holds(EventKind::graphDef);
      break;
    case key(fields::kEventSummary, Type::bytes):
      holds(EventKind::summary);
      break;
    case key(fields::kEventLogMessage, Type::bytes):
      holds(EventKind::logMessage);
      break;
    case key(fields::kEventSessionLog, Type::bytes):
      holds(EventKind::sessionLog);
      break;
    case key(fields::kEventTaggedRunMetadata, Type::bytes):
      holds(EventKind::taggedRunMetadata);
      break;
    case key(fields::kEventMetaGraphDef, Type::bytes):
      holds(EventKind::metaGraphDef);
      break;
    case key(fields::kEventSourceMetadata, Type::bytes): {
      wire::Reader source(fields.bytes());
      while (source.next())
        if (source.key() == key(fields::kSourceWriter, Type::bytes))
          result->writer = source.bytes();
      ok = ok && !source.failed();
      break;
    }
    default:
      break;
    }
  if (fields.failed() || !ok)
    result.reset();
  return result;
}

std::optional<ValueView> ValueCursor::takeAny() {
  std::optional<ValueView> value;
  wire::Reader fields(left_);
  while (fields.next())
    if (fields.key() == key(fields::kSummaryValue, Type::bytes)) {
      value = ValueView::parse(fields.bytes());
      failed_ = !value;
      left_ = failed_ ? std::string_view() : fields.rest();
      return value;
    }
  failed_ = failed_ || fields.failed();
  left_ = {};
  return value;
}

} // namespace popscope::summary
