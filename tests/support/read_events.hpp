// Reads event files for assertions, with protobuf's own parser.
#pragma once

#include "summary/proto/event.pb.h"
#include "summary/records/event_files.hpp"
#include "summary/records/file_source.hpp"
#include "summary/records/record_reader.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::tests {

using summary::proto::Event;

inline std::vector<std::string> readPayloads(summary::ByteSource &source) {
  summary::RecordReader reader(source);
  std::vector<std::string> payloads;
  while (reader.next() == summary::ReadState::record)
    payloads.emplace_back(reader.payload());
  return payloads;
}

// All events of a file, which must consist of whole records.
inline std::vector<Event> readEvents(const std::filesystem::path &file) {
  summary::FileSource source(file);
  summary::RecordReader reader(source);
  std::vector<Event> events;
  summary::ReadState state;
  while ((state = reader.next()) == summary::ReadState::record) {
    Event event;
    if (!event.ParseFromArray(reader.payload().data(),
                              static_cast<int>(reader.payload().size())))
      throw std::runtime_error("a record that is not an event");
    events.push_back(event);
  }
  if (state != summary::ReadState::end)
    throw std::runtime_error("a file that does not end with a whole record");
  return events;
}

// All events of a run, file by file.
inline std::vector<Event> readRun(const std::filesystem::path &directory) {
  std::vector<Event> events;
  for (const auto &file : summary::eventFilesIn(directory))
    for (const Event &event : readEvents(file))
      events.push_back(event);
  return events;
}

// The values of a tag over all events.
inline std::vector<summary::proto::Summary::Value>
valuesOf(const std::vector<Event> &events, const std::string &tag) {
  std::vector<summary::proto::Summary::Value> values;
  for (const Event &event : events)
    for (const auto &value : event.summary().value())
      if (value.tag() == tag)
        values.push_back(value);
  return values;
}

// The steps at which a tag has values.
inline std::vector<std::int64_t> stepsOf(const std::vector<Event> &events,
                                         const std::string &tag) {
  std::vector<std::int64_t> steps;
  for (const auto &event : events)
    for (const auto &value : event.summary().value())
      if (value.tag() == tag)
        steps.push_back(event.step());
  return steps;
}

} // namespace popscope::tests
