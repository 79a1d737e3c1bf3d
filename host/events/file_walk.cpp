#include "host/events/file_walk.hpp"

#include "host/command.hpp"

#include <algorithm>
#include <iostream>
#include <limits>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace popscope::host::events {

namespace {

constexpr std::uint64_t kWorthProgress = std::uint64_t(64) << 20; // bytes
constexpr std::uint64_t kRecordsBetweenRedraws = 4096;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

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
  if (!file.unreadable.empty())
    return "cannot be read: " + file.unreadable;
  if (file.isDamaged())
    return summary::describe(file.gaps.front().damage);
  if (file.tornBytes != 0)
    return "ends inside a record at byte " +
           std::to_string(file.bytes - file.tornBytes) + ": " +
           std::to_string(file.tornBytes) + " of " +
           std::to_string(file.tornNeeded) + " bytes are there";
  return file.bytes == 0 ? "empty" : "whole";
}

bool reportUnlessWhole(const FileState &file) {
  if (!file.isWhole())
    std::cerr << "popscope: " << file.path.string() << ": " << describe(file)
              << '\n';
  return file.isWhole();
}

void requireReadable(const FileState &file) {
  if (!file.unreadable.empty())
    throw BadInput(file.path.string() + ": " + describe(file));
}

// More threads would wait for memory, and each of them takes some.
StretchReader::Options stretchesHere() {
  constexpr std::size_t kMostThreads = 4;
  constexpr std::uint64_t kBytes = std::uint64_t(32) << 20;
  return {std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1,
                                  kMostThreads),
          kBytes};
}

FileWalk::FileWalk(const std::vector<LogRun> &runs,
                   const StretchReader::Options &stretches)
    : stretches_(stretches), total_(totalBytes(runs)),
      progress_(std::cerr, styleFor(total_)) {}

// Up to the first record at or behind `limit`, or as far as there are any.
void FileWalk::read(summary::EventReader &reader, std::uint64_t limit,
                    const Visit &visit, FileState &state) {
  const summary::RecordReader &records = reader.records();
  while (records.nextOffset() < limit) {
    if (const auto event = reader.next()) {
      ++state.records;
      visit(*event, reader);
      if (state.records % kRecordsBetweenRedraws == 0)
        progress_.show("reading", done_ + records.offset(), total_);
      continue;
    }
    if (reader.state() != summary::ReadState::damaged)
      return;
    if (state.gaps.empty())
      state.recordsBeforeDamage = state.records;
    const summary::Damage damage = reader.damage();
    state.gaps.push_back({damage, reader.resync()});
  }
}

void FileWalk::finish(const summary::EventReader &reader, FileState &state) {
  const summary::RecordReader &records = reader.records();
  if (state.gaps.empty())
    state.recordsBeforeDamage = state.records;
  state.bytes = records.offset();
  if (reader.state() == summary::ReadState::tornTail) {
    state.tornBytes = records.tornBytes();
    state.tornNeeded = records.tornNeeded();
    state.bytes += state.tornBytes;
  }
  done_ += state.bytes;
}

FileState FileWalk::walk(const std::filesystem::path &file,
                         const Visit &visit) {
  FileState state;
  state.path = file;
  try {
    summary::EventReader reader(file);
    read(reader, kNoLimit, visit, state);
    finish(reader, state);
  } catch (const std::system_error &error) {
    state.unreadable = error.code().message();
  }
  return state;
}

// Returns how far all was well, from the record at `begin` on.
std::uint64_t FileWalk::readStretches(std::uint64_t begin, std::uint64_t end,
                                      RunIndex &index, FileState &state) {
  StretchReader stretches(state.path, begin, end, stretches_);
  std::uint64_t at = begin;
  while (Stretch *const stretch = stretches.next()) {
    if (stretch->limit <= at) {
      // All of it lies inside a long record: nothing found there is true.
      stretch->index = RunIndex();
      continue;
    }
    if (stretch->begin != at)
      break;
    index.append(stretch->index);
    state.records += stretch->records;
    at = stretch->end;
    progress_.show("reading", done_ + at, total_);
    if (!stretch->isWhole())
      break;
  }
  return at;
}

FileState FileWalk::index(const std::filesystem::path &file, RunIndex &index) {
  FileState state;
  state.path = file;
  try {
    indexTo(state, index);
  } catch (const std::system_error &error) {
    state.unreadable = error.code().message();
  }
  return state;
}

void FileWalk::indexTo(FileState &state, RunIndex &index) {
  const std::uint64_t size = bytesOf(state.path);
  const auto add = [&](const summary::EventView &event, const auto &) {
    index.add(event);
  };
  for (std::uint64_t at = 0;;) {
    const bool isLarge = at + 2 * stretches_.bytes <= size;
    if (isLarge)
      at = readStretches(at, size, index, state);
    // What stopped them, damage or the end, is for one thread. Behind damage
    // there may be work for several again.
    summary::EventReader reader(state.path, at);
    const std::uint64_t limit = isLarge ? at + stretches_.bytes : kNoLimit;
    read(reader, limit, add, state);
    at = reader.records().nextOffset();
    if (at < limit) {
      finish(reader, state);
      return;
    }
  }
}

} // namespace popscope::host::events
