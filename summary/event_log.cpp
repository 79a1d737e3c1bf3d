#include "summary/event_log.hpp"

#include "summary/encoding/serialize.hpp"
#include "summary/proto/event.pb.h"
#include "summary/records/file_sink.hpp"
#include "summary/records/record_format.hpp"

#include <stdexcept>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace popscope::summary {
namespace fs = std::filesystem;
namespace {

// Without this version TensorBoard falls back to an older way of telling
// restarts.
constexpr const char *kFileVersion = "brain.Event:2";
constexpr const char *kWriterName = "popscope";

std::uint64_t sizeOf(const fs::path &file) {
  std::error_code vanished;
  const auto size = fs::file_size(file, vanished);
  return vanished ? 0 : size;
}

std::string firstRecord(WallTime now) {
  proto::Event first;
  first.set_wall_time(now.seconds());
  first.set_file_version(kFileVersion);
  first.mutable_source_metadata()->set_writer(kWriterName);
  return serialize(first);
}

// In the place of a file that could not be created.
class NoFile final : public ByteSink {
public:
  SinkError append(std::string_view) noexcept override { return SinkError::io; }
  SinkError sync() noexcept override { return SinkError::io; }
  SinkError close() noexcept override { return SinkError::none; }
};

} // namespace

EventLog::EventLog(const fs::path &directory, const EventWriterOptions &options)
    : directory_(directory), options_(options),
      flushInterval_(
          std::chrono::duration<double>(options.flushEvery).count()) {
  try {
    open(options_.clock());
  } catch (const std::system_error &error) {
    if (options_.openFailure == OpenFailure::throws)
      throw;
    sink_ = std::make_unique<NoFile>();
    records_ = std::make_unique<RecordWriter>(*sink_);
    fail(SinkError::io, "cannot be created: " + error.code().message());
  }
  if (error_ != SinkError::none && options_.openFailure == OpenFailure::throws)
    throw std::runtime_error("[summary] writing \"" + path_.string() +
                             "\" failed: " + firstErrorText_);
}

void EventLog::open(WallTime now) {
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error)
    throw std::system_error(error, "[summary] cannot create directory \"" +
                                       directory_.string() + "\"");
  const std::vector<fs::path> earlier = eventFilesIn(directory_);
  isNewRun_ = earlier.empty();
  for (const fs::path &file : earlier)
    otherBytes_ += sizeOf(file);
  sink_ = create(now);
  records_ = std::make_unique<RecordWriter>(*sink_);
  writeFirstRecord(now);
}

std::unique_ptr<ByteSink> EventLog::create(WallTime now) {
  const EventFileName name =
      placeLast({static_cast<std::int64_t>(now.seconds()), hostName(),
                 static_cast<std::int64_t>(::getpid()), fileNumber_++,
                 options_.fileSuffix},
                directory_);
  path_ = directory_ / name.text();
  if (options_.openFile)
    return options_.openFile(path_);
  return std::make_unique<FileSink>(path_);
}

void EventLog::writeFirstRecord(WallTime now) {
  ++metadataNumber_;
  keepFile_ = false;
  fileStart_ = records_->bytesCommitted();
  SinkError error = records_->append(firstRecord(now));
  if (error == SinkError::none)
    error = flush(now);
  if (error == SinkError::none)
    return;
  records_->discard(); // the next file gets one of its own
  if (error_ == SinkError::none)
    fail(error);
}

void EventLog::goOnIfDue(WallTime now) {
  const double elapsed = now.seconds() - lastFlush_;
  if (canGoOn() && !isClosed_ && (elapsed < 0 || elapsed >= flushInterval_))
    goOn(now);
}

// A curve must not end because a disk was full for a second. What has gathered
// since comes first in the new file.
void EventLog::goOn(WallTime now) {
  lastFlush_ = now.seconds();
  const std::uint64_t before = records_->bytesCommitted() - records_->pending();
  const fs::path failed = path_;
  try {
    fs::create_directories(directory_);
    auto next = create(now);
    if (records_->goOn(*next, firstRecord(now)) != SinkError::none) {
      std::error_code ignored; // or every try would leave a file
      fs::remove(path_, ignored);
      path_ = failed;
      return;
    }
    sink_ = std::move(next);
  } catch (const std::system_error &) {
    path_ = failed;
    return;
  }
  ++metadataNumber_;
  otherBytes_ += before - fileStart_;
  fileStart_ = before;
  keepFile_ = true; // it may have what the failed one should
  unflushed_ = {};
  error_ = SinkError::none;
  hasGoneOn_ = true;
  if (options_.durability != Durability::survivesPowerLoss)
    return;
  if (const SinkError error = sink_->sync(); error != SinkError::none)
    fail(error);
}

void EventLog::rotate(WallTime now) {
  if (flush(now) != SinkError::none)
    return;
  const FinishedFile finished{path_, fileBytes()};
  const bool keep = keepFile_;
  try {
    auto next = create(now);
    SinkError error = records_->switchTo(*next);
    if (error == SinkError::none)
      error = sink_->close();
    if (error != SinkError::none)
      fail(error);
    sink_ = std::move(next);
  } catch (const std::system_error &error) {
    auto none = std::make_unique<NoFile>();
    (void)records_->switchTo(*none);
    sink_ = std::move(none);
    fail(SinkError::io, "the next file: " + error.code().message());
  }
  if (error_ != SinkError::none)
    return;
  writeFirstRecord(now);
  otherBytes_ += finished.bytes;
  if (!keep)
    deletable_.push_back(finished);
  deleteOldFiles();
}

void EventLog::deleteOldFiles() {
  if (options_.keepFiles == 0)
    return;
  while (deletable_.size() + 1 > options_.keepFiles && !deletable_.empty()) {
    std::error_code error; // a file that cannot be deleted stays
    if (fs::remove(deletable_.front().path, error))
      otherBytes_ -= deletable_.front().bytes;
    deletable_.erase(deletable_.begin());
  }
}

void EventLog::appendForRun(WallTime now, Step step, unsigned field,
                            std::string_view content) {
  const std::size_t payload = eventBytes(step, content.size());
  char *to = makeRoom(now, step, payload, 1);
  if (to == nullptr)
    return;
  to = encodeEventHead(now, step, field, content.size(), to);
  content.copy(to, content.size());
  keepFile();
  finishRecord(now, step, payload, 1);
}

void EventLog::holdToLimit(WallTime now, std::size_t payloadBytes) {
  if (error_ == SinkError::none &&
      otherBytes_ + fileBytes() + payloadBytes + kFrameBytes >
          options_.maxRunBytes &&
      flush(now) == SinkError::none)
    fail(SinkError::overLimit, std::string(describe(SinkError::overLimit)) +
                                   " (" + std::to_string(options_.maxRunBytes) +
                                   " bytes)");
}

void EventLog::refuse(std::size_t payloadBytes) {
  throw std::length_error("[summary] an event of " +
                          std::to_string(payloadBytes) +
                          " bytes is longer than any reader takes");
}

SinkError EventLog::flush(WallTime now) {
  if (error_ != SinkError::none) {
    goOnIfDue(now);
    return error_;
  }
  lastFlush_ = now.seconds();
  SinkError error = records_->flush();
  if (error == SinkError::none &&
      options_.durability == Durability::survivesPowerLoss)
    error = sink_->sync();
  if (error != SinkError::none)
    fail(error);
  else
    unflushed_ = {};
  return error;
}

SinkError EventLog::close(WallTime now) {
  if (isClosed_)
    return firstError_;
  if (canGoOn())
    goOn(now); // the last chance
  SinkError error = flush(now);
  if (error == SinkError::none)
    error = sink_->close();
  if (error_ == SinkError::none)
    fail(error == SinkError::none ? SinkError::closed : error);
  lost_ = lost();
  unflushed_ = {};
  isClosed_ = true;
  return firstError_;
}

// Being closed, by close or by a signal handler that has written everything, is
// an end but no failure.
void EventLog::fail(SinkError error, const std::string &why) {
  error_ = error;
  if (error == SinkError::closed)
    return;
  ++metadataNumber_;
  // If the file is gone, so are the metadata that these need.
  if (!canGoOn() || error == SinkError::vanished) {
    lost_.add(unflushed_);
    unflushed_ = {};
    records_->discard();
  }
  if (firstError_ == SinkError::none) {
    firstError_ = error;
    firstErrorText_ = why.empty() ? std::string(describe(error)) : why;
  }
  hasFailure_ = true;
}

// What has gathered is lost, too, unless the log goes on.
EventLog::Amount EventLog::lost() const {
  Amount all = lost_;
  if (canGoOn())
    all.add(unflushed_);
  return all;
}

WriteReport EventLog::report() const {
  WriteReport report;
  report.what = directory_.string();
  report.error = firstErrorText_;
  if (hasGoneOn_)
    report.error += "; recording went on in a new file";
  const Amount amount = lost();
  report.lostRecords = amount.records;
  report.lostBytes = amount.bytes;
  if (amount.records != 0)
    report.firstLost = amount.first;
  return report;
}

} // namespace popscope::summary
