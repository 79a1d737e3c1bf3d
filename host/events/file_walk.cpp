#include "host/events/file_walk.hpp"

#include "host/command.hpp"

#include <iostream>
#include <system_error>
#include <unistd.h>

namespace popscope::host::events {

namespace {

constexpr std::uint64_t kWorthProgress = std::uint64_t(64) << 20; // bytes
constexpr std::uint64_t kRecordsBetweenRedraws = 4096;

std::uint64_t totalBytes(const std::vector<LogRun> &runs) {
  std::uint64_t bytes = 0;
  for (const LogRun &run : runs)
    bytes += bytesOf(run);
  return bytes;
}

ProgressStyle styleFor(std::uint64_t bytes) {
  return bytes >= kWorthProgress && isatty(STDERR_FILENO)
             ? ProgressStyle::line
             : ProgressStyle::silent;
}

} // namespace

std::string describe(const FileState &file) {
  if (file.isDamaged())
    return summary::describe(file.gaps.front().damage);
  if (file.tornBytes != 0)
    return "ends inside a record at byte " +
           std::to_string(file.bytes - file.tornBytes) + ": " +
           std::to_string(file.tornBytes) + " of " +
           std::to_string(file.tornNeeded) + " bytes are there";
  return "whole";
}

FileWalk::FileWalk(const std::vector<LogRun> &runs)
    : total_(totalBytes(runs)), progress_(std::cerr, styleFor(total_)) {}

FileState FileWalk::walk(const std::filesystem::path &file,
                         const Visit &visit) try {
  FileState state;
  state.path = file;
  summary::EventReader reader(file);
  const summary::RecordReader &records = reader.records();
  while (true) {
    if (const auto event = reader.next()) {
      ++state.records;
      visit(*event, reader);
      if (state.records % kRecordsBetweenRedraws == 0)
        progress_.show("reading", done_ + records.offset(), total_);
      continue;
    }
    if (reader.state() != summary::ReadState::damaged)
      break;
    if (state.gaps.empty())
      state.recordsBeforeDamage = state.records;
    const summary::Damage damage = reader.damage();
    state.gaps.push_back({damage, reader.resync()});
  }
  if (state.gaps.empty())
    state.recordsBeforeDamage = state.records;
  state.bytes = records.offset();
  if (reader.state() == summary::ReadState::tornTail) {
    state.tornBytes = records.tornBytes();
    state.tornNeeded = records.tornNeeded();
    state.bytes += state.tornBytes;
  }
  done_ += state.bytes;
  return state;
} catch (const std::system_error &error) {
  throw BadInput(file.string() + ": " + error.code().message());
}

} // namespace popscope::host::events
