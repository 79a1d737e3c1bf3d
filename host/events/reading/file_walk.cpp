#include "host/events/reading/file_walk.hpp"

#include "summary/records/file_source.hpp"
#include "summary/records/record_reader.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <limits>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace popscope::host::events {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kWorthProgress = std::uint64_t(64) << 20; // bytes
constexpr std::chrono::milliseconds kBetweenRedraws{100};
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

// Reads the records that begin before `limit`, or as many as there are.
template <class Visit>
void read(summary::EventReader &reader, std::uint64_t limit, const Visit &visit,
          FileState &state) {
  const summary::RecordReader &records = reader.records();
  while (records.nextOffset() < limit) {
    if (const auto event = reader.next()) {
      ++state.records;
      visit(*event, reader);
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
  state.bytes = records.nextOffset();
  if (reader.state() == summary::ReadState::tornTail) {
    state.tornBytes = records.tornBytes();
    state.tornNeeded = records.tornNeeded();
    state.bytes += state.tornBytes;
  }
}

// The first place in the file at or after `from` where a record seems to begin;
// `limit` if there is none before it. The place may be inside a record that
// contains the bytes of other records.
std::uint64_t findRecord(const fs::path &file, std::uint64_t from,
                         std::uint64_t limit) {
  try {
    summary::FileSource source(file, from);
    summary::RecordReader records(source, from);
    return records.findRecord(limit) ? records.offset() : limit;
  } catch (const std::system_error &) {
    return limit; // the thread that reads up to here meets the error again
  }
}

} // namespace

// What one thread found in its part of a file.
struct FileWalk::Part {
  std::uint64_t begin = 0; // of the first record
  std::uint64_t end = 0;   // of the last record, where the next part begins
  std::uint64_t limit = 0; // records that begin here or later belong to others
  FileState state;
  RunIndex index;
};

FileWalk::FileWalk(const std::vector<LogRun> &runs, const Threads &threads)
    : threads_(threads), total_(totalBytes(runs)),
      progress_(std::cerr, styleFor(total_)) {}

// A file that is being written grows while it is read.
void FileWalk::showProgress(std::uint64_t done) {
  progress_.show("reading", std::min(done, total_), total_);
}

FileState FileWalk::walk(const fs::path &file, const Visit &visit) {
  FileState state;
  state.path = file;
  const auto visitAndShow = [&](const summary::EventView &event,
                                const summary::EventReader &reader) {
    visit(event, reader);
    if (state.records % kRecordsBetweenRedraws == 0)
      showProgress(done_ + reader.records().offset());
  };
  try {
    summary::EventReader reader(file);
    read(reader, kNoLimit, visitAndShow, state);
  } catch (const std::system_error &error) {
    state.unreadable = error.code().message();
  }
  done_ += state.bytes;
  return state;
}

// `begin` is where a record begins.
FileWalk::Part FileWalk::indexPart(const fs::path &file, std::uint64_t begin,
                                   std::uint64_t limit) {
  Part part;
  part.begin = part.end = begin;
  part.limit = limit;
  part.state.path = file;
  std::uint64_t counted = begin;
  const auto visit = [&](const summary::EventView &event,
                         const summary::EventReader &reader) {
    part.index.add(event);
    if (part.state.records % kRecordsBetweenRedraws == 0) {
      const std::uint64_t at = reader.records().offset();
      done_ += at - counted;
      counted = at;
    }
  };
  try {
    summary::EventReader reader(file, begin);
    read(reader, limit, visit, part.state);
    part.end = reader.records().nextOffset();
  } catch (const std::system_error &error) {
    part.state.unreadable = error.code().message();
  }
  return part;
}

std::size_t FileWalk::partsOf(std::uint64_t bytes) const {
  constexpr std::size_t kMostThreads = 4; // more would wait for memory
  const std::size_t threads =
      threads_.most != 0
          ? threads_.most
          : std::min<std::size_t>(std::thread::hardware_concurrency(),
                                  kMostThreads);
  return std::max<std::size_t>(
      1, std::min<std::uint64_t>(threads, bytes / threads_.bytesEach));
}

FileWalk::Part FileWalk::await(std::future<Part> &part) {
  while (part.wait_for(kBetweenRedraws) == std::future_status::timeout)
    showProgress(done_);
  return part.get();
}

FileState FileWalk::index(const fs::path &file, RunIndex &index) {
  FileState state;
  state.path = file;
  const std::uint64_t doneBefore = done_;
  const std::uint64_t size = bytesOf(file);
  const std::size_t count = partsOf(size);
  std::vector<std::future<Part>> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t from = size / count * i;
    const std::uint64_t limit =
        i + 1 == count ? kNoLimit : size / count * (i + 1);
    // Without a launch policy, get() does the work if no thread is to be had.
    parts.push_back(std::async([=] {
      return indexPart(file, i == 0 ? 0 : findRecord(file, from, limit), limit);
    }));
  }
  std::uint64_t at = 0;
  for (std::future<Part> &future : parts) {
    Part part = await(future);
    // A part counts if it begins where the one before it ends. If not, its
    // thread took something inside a record for one, or missed damage.
    if (part.begin != at)
      part = indexPart(file, at, part.limit);
    state.append(part.state);
    index.append(part.index);
    at = part.end;
    if (!state.unreadable.empty())
      break;
  }
  done_ = doneBefore + state.bytes;
  return state;
}

} // namespace popscope::host::events
