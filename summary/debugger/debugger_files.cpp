#include "summary/debugger/debugger_files.hpp"

#include "summary/debugger/debug_events.hpp"
#include "summary/encoding/event_fields.hpp"
#include "summary/encoding/wire.hpp"
#include "summary/records/event_files.hpp"
#include "summary/records/file_source.hpp"
#include "summary/records/record_reader.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace popscope::summary {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStart = "tfdbg_events.";
// In the order in which a set is deleted: readers look for the first.
constexpr const char *kEndings[] = {
    debugger_files::kMetadata,    debugger_files::kTraces,
    debugger_files::kExecutions,  debugger_files::kGraphs,
    debugger_files::kStackFrames, debugger_files::kSourceFiles};

bool endsWith(std::string_view name, std::string_view ending) {
  return name.size() >= ending.size() &&
         name.substr(name.size() - ending.size()) == ending;
}

std::string runIdIn(const fs::path &metadata) {
  try {
    FileSource source(metadata);
    RecordReader reader(source);
    return reader.next() == ReadState::record ? runIdOf(reader.payload())
                                              : std::string();
  } catch (const std::system_error &) {
    return {};
  }
}

} // namespace

bool isDebuggerFileName(std::string_view name) {
  if (name.substr(0, kStart.size()) != kStart)
    return false;
  name.remove_prefix(kStart.size());
  const std::size_t digits =
      std::min(name.find_first_not_of("0123456789"), name.size());
  return digits != 0 && name.substr(digits, 1) == "." &&
         std::any_of(
             std::begin(kEndings), std::end(kEndings),
             [&](const char *ending) { return endsWith(name, ending); });
}

std::vector<DebuggerFileSet> debuggerFilesIn(const fs::path &directory) {
  std::vector<DebuggerFileSet> sets;
  std::error_code missing;
  for (const auto &entry : fs::directory_iterator(directory, missing)) {
    std::string path = entry.path().string();
    if (!isDebuggerFileName(entry.path().filename().string()) ||
        !endsWith(path, debugger_files::kMetadata))
      continue;
    path.resize(path.size() -
                std::string_view(debugger_files::kMetadata).size());
    sets.push_back({path, runIdIn(entry.path())});
  }
  return sets;
}

fs::path newDebuggerPrefix(const fs::path &directory, WallTime now) {
  for (auto seconds = std::int64_t(now.seconds());; ++seconds) {
    char number[32];
    std::snprintf(number, sizeof number, "%010" PRId64 ".", seconds);
    const std::string name = std::string(kStart) + number + hostName();
    std::error_code error;
    if (!fs::exists(directory / (name + debugger_files::kMetadata), error) &&
        !fs::exists(directory / (name + debugger_files::kSourceFiles), error))
      return directory / name;
  }
}

void removeDebuggerFiles(const DebuggerFileSet &set) {
  for (const char *ending : kEndings) {
    std::error_code stays;
    fs::remove(set.file(ending), stays);
  }
}

WallTime copyRecordsBefore(Step end, const fs::path &from, RecordFile &to,
                           WallTime time) {
  FileSource source(from);
  RecordReader reader(source);
  while (reader.next() == ReadState::record) {
    wire::Reader event(reader.payload());
    Step step(0);
    double seconds = 0;
    while (event.next())
      if (event.key() == wire::key(fields::kEventStep, wire::Type::varint))
        step = Step(std::int64_t(event.bits()));
      else if (event.key() ==
               wire::key(fields::kEventWallTime, wire::Type::fixed64))
        seconds = event.asDouble();
    if (!(step < end) || !std::isfinite(seconds))
      continue;
    if (to.records.append(reader.payload()) != SinkError::none)
      break;
    time = std::max(time, WallTime(seconds));
  }
  return time;
}

} // namespace popscope::summary
