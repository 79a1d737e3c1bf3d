#include "summary/event_view.hpp"

#include "summary/event_fields.hpp"

namespace popscope::summary {

using wire::Type;

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

std::optional<MetadataView> MetadataView::parse(std::string_view bytes) {
  MetadataView view;
  wire::Reader fields(bytes);
  while (fields.next()) {
    if (fields.is(fields::kMetadataPluginData, Type::bytes)) {
      wire::Reader plugin(fields.bytes());
      while (plugin.next()) {
        if (plugin.is(fields::kPluginName, Type::bytes))
          view.plugin = plugin.bytes();
        else if (plugin.is(fields::kPluginContent, Type::bytes))
          view.content = plugin.bytes();
      }
      if (plugin.failed())
        return std::nullopt;
    } else if (fields.is(fields::kMetadataDisplayName, Type::bytes)) {
      view.displayName = fields.bytes();
    } else if (fields.is(fields::kMetadataDescription, Type::bytes)) {
      view.description = fields.bytes();
    } else if (fields.is(fields::kMetadataDataClass, Type::varint)) {
      view.dataClass = fields.bits();
    }
  }
  if (fields.failed())
    return std::nullopt;
  return view;
}

std::optional<ValueView> ValueView::parse(std::string_view bytes) {
  ValueView view;
  const auto holds = [&](Form form, std::string_view content) {
    view.form = form;
    view.content = content;
  };
  wire::Reader fields(bytes);
  while (fields.next()) {
    if (fields.is(fields::kValueSimple, Type::fixed32)) {
      view.form = Form::simpleValue;
      view.simpleValue = fields.asFloat();
      continue;
    }
    if (fields.type() != Type::bytes)
      continue;
    switch (fields.field()) {
    case fields::kValueTag:
      view.tag = fields.bytes();
      break;
    case fields::kValueOldHistogram:
      holds(Form::oldHistogram, fields.bytes());
      break;
    case fields::kValueImage:
      holds(Form::image, fields.bytes());
      break;
    case fields::kValueHistogram:
      holds(Form::histogram, fields.bytes());
      break;
    case fields::kValueAudio:
      holds(Form::audio, fields.bytes());
      break;
    case fields::kValueTensor:
      holds(Form::tensor, fields.bytes());
      break;
    case fields::kValueMetadata:
      view.metadata = fields.bytes();
      break;
    default:
      break;
    }
  }
  if (fields.failed())
    return std::nullopt;
  return view;
}

std::optional<EventView> EventView::parse(std::string_view payload) {
  EventView view;
  const auto holds = [&](EventKind kind, std::string_view content) {
    view.kind = kind;
    view.content = content;
  };
  wire::Reader fields(payload);
  while (fields.next()) {
    if (fields.is(fields::kEventWallTime, Type::fixed64)) {
      view.wallTime = fields.asDouble();
    } else if (fields.is(fields::kEventStep, Type::varint)) {
      view.step = static_cast<std::int64_t>(fields.bits());
    } else if (fields.type() == Type::bytes) {
      switch (fields.field()) {
      case fields::kEventFileVersion:
        holds(EventKind::fileVersion, fields.bytes());
        break;
      case fields::kEventGraphDef:
        holds(EventKind::graphDef, fields.bytes());
        break;
      case fields::kEventSummary:
        holds(EventKind::summary, fields.bytes());
        break;
      case fields::kEventLogMessage:
        holds(EventKind::logMessage, fields.bytes());
        break;
      case fields::kEventSessionLog:
        holds(EventKind::sessionLog, fields.bytes());
        break;
      case fields::kEventTaggedRunMetadata:
        holds(EventKind::taggedRunMetadata, fields.bytes());
        break;
      case fields::kEventMetaGraphDef:
        holds(EventKind::metaGraphDef, fields.bytes());
        break;
      case fields::kEventSourceMetadata: {
        wire::Reader source(fields.bytes());
        while (source.next())
          if (source.is(fields::kSourceWriter, Type::bytes))
            view.writer = source.bytes();
        if (source.failed())
          return std::nullopt;
        break;
      }
      default:
        break;
      }
    }
  }
  if (fields.failed())
    return std::nullopt;
  return view;
}

std::optional<ValueView> ValueCursor::next() {
  while (!failed_ && fields_.next()) {
    if (!fields_.is(fields::kSummaryValue, Type::bytes))
      continue;
    const auto value = ValueView::parse(fields_.bytes());
    failed_ = !value;
    return value;
  }
  failed_ = failed_ || fields_.failed();
  return std::nullopt;
}

} // namespace popscope::summary
