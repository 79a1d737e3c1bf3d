// The event files of one run, written as one sequence of events: names,
// rotation, limits, flushing, failure. Used by one thread at a time, except
// for closeFromSignal. What happens for every event is inline, as in the record
// writer.
#pragma once

#include "summary/encoding/event_encoder.hpp"
#include "summary/encoding/event_fields.hpp"
#include "summary/event_writer_options.hpp"
#include "summary/records/event_files.hpp"
#include "summary/records/record_writer.hpp"
#include "summary/span.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

class EventLog {
public:
  // Creates the directory and the first file. If it cannot, or if not even the
  // first record can be written, it throws std::runtime_error or has failed
  // from the start, as the options say.
  EventLog(const std::filesystem::path &directory,
           const EventWriterOptions &options);

  // True if the directory held no event file before.
  bool isNewRun() const { return isNewRun_; }

  // Begins a new file if the present one is full or has failed. To be called
  // before the values of an event are chosen, since a new file needs metadata
  // anew.
  void beginEvent(WallTime now);
  // Metadata written under this number need not be written again.
  std::uint32_t metadataNumber() const { return metadataNumber_; }

  // While the log has failed, both keep the values for the next file as long as
  // there is room, then drop them. Throw std::length_error for an event no
  // reader would take.
  void append(WallTime now, WallTime time, Step step,
              Span<const EncodedValue> values);
  // An event whose field `field` has this content; the file it goes to is
  // never deleted.
  void appendForRun(WallTime now, Step step, unsigned field,
                    std::string_view content);
  void keepFile() { keepFile_ = true; }

  // Tries a new file if the last one failed `flushEvery` ago or longer.
  [[nodiscard]] SinkError flush(WallTime now);
  SinkError flushIfDue(WallTime now);
  // Returns the first failure there was.
  [[nodiscard]] SinkError close(WallTime now);
  bool closeFromSignal() noexcept { return records_->closeFromSignal(); }

  // None again once a failed log goes on in a new file.
  SinkError error() const { return error_; }
  // True until takeFailure, once the log has failed.
  bool hasFailure() const { return hasFailure_; }
  void takeFailure() { hasFailure_ = false; }
  // Values that may be missing from the files because of a failure.
  std::uint64_t dropped() const { return lost().values; }
  WriteReport report() const;
  const std::filesystem::path &path() const { return path_; }

private:
  struct FinishedFile {
    std::filesystem::path path;
    std::uint64_t bytes;
  };
  struct Amount {
    std::uint64_t records = 0;
    std::uint64_t values = 0;
    std::uint64_t bytes = 0;
    Step first{0}; // step of the first record, if there is one

    void add(const Amount &more) {
      if (records == 0 || (more.records != 0 && more.first < first))
        first = more.first;
      records += more.records;
      values += more.values;
      bytes += more.bytes;
    }
  };

  bool canGoOn() const {
    return error_ == SinkError::diskFull || error_ == SinkError::denied ||
           error_ == SinkError::vanished || error_ == SinkError::io;
  }
  void goOnIfDue(WallTime now);
  void goOn(WallTime now);
  Amount lost() const;
  void open(WallTime now);
  std::unique_ptr<ByteSink> create(WallTime now);
  void writeFirstRecord(WallTime now);
  void rotate(WallTime now);
  void deleteOldFiles();
  char *makeRoom(WallTime now, Step step, std::size_t payloadBytes,
                 std::uint64_t values);
  // Fails if a payload of that many bytes would be more than the run may have.
  void holdToLimit(WallTime now, std::size_t payloadBytes);
  [[noreturn]] static void refuse(std::size_t payloadBytes);
  void finishRecord(WallTime now, Step step, std::size_t payloadBytes,
                    std::uint64_t values);
  void fail(SinkError error, const std::string &why = {});
  std::uint64_t fileBytes() const {
    return records_->bytesCommitted() - fileStart_;
  }

  const std::filesystem::path directory_;
  const EventWriterOptions &options_; // outlives this log
  const double flushInterval_;        // seconds
  bool isNewRun_ = false;
  std::uint64_t otherBytes_ = 0; // of the run's other files
  std::uint32_t fileNumber_ = 0; // of the next file
  std::uint32_t metadataNumber_ = 1;
  std::filesystem::path path_;
  std::unique_ptr<ByteSink> sink_;
  std::unique_ptr<RecordWriter> records_; // never replaced: signal handlers
  std::uint64_t fileStart_ = 0;           // bytes committed before this file
  bool keepFile_ = false;
  std::vector<FinishedFile> deletable_; // oldest first

  double lastFlush_ = 0; // or try to go on
  Amount unflushed_;
  Amount lost_;
  SinkError error_ = SinkError::none;
  SinkError firstError_ = SinkError::none;
  std::string firstErrorText_;
  bool hasGoneOn_ = false;
  bool isClosed_ = false;
  bool hasFailure_ = false;
};

inline void EventLog::beginEvent(WallTime now) {
  if (error_ != SinkError::none)
    goOnIfDue(now);
  else if (options_.rotateBytes != 0 && fileBytes() >= options_.rotateBytes)
    rotate(now);
}

// Space for a record of `values` values, or null and they are dropped.
inline char *EventLog::makeRoom(WallTime now, Step step,
                                std::size_t payloadBytes,
                                std::uint64_t values) {
  if (payloadBytes > kMaxPayloadBytes)
    refuse(payloadBytes);
  if (options_.maxRunBytes != 0)
    holdToLimit(now, payloadBytes);
  if (error_ == SinkError::none || (canGoOn() && !isClosed_)) {
    if (char *const to = records_->reserve(payloadBytes))
      return to;
    if (error_ == SinkError::none) {
      lastFlush_ = now.seconds();
      fail(records_->error());
    }
  }
  lost_.add({1, values, payloadBytes + kFrameBytes, step});
  ++metadataNumber_;
  return nullptr;
}

inline SinkError EventLog::flushIfDue(WallTime now) {
  const double elapsed = now.seconds() - lastFlush_;
  // A clock that went backwards must not put flushing off.
  return elapsed < 0 || elapsed >= flushInterval_ ? flush(now) : error_;
}

inline void EventLog::finishRecord(WallTime now, Step step,
                                   std::size_t payloadBytes,
                                   std::uint64_t values) {
  records_->commit(payloadBytes);
  unflushed_.add({1, values, payloadBytes + kFrameBytes, step});
  flushIfDue(now);
}

inline void EventLog::append(WallTime now, WallTime time, Step step,
                             Span<const EncodedValue> values) {
  std::size_t content = 0;
  for (const EncodedValue &value : values)
    content += entryBytes(value);
  const std::size_t payload = eventBytes(step, content);
  char *to = makeRoom(now, step, payload, values.size());
  if (to == nullptr)
    return;
  to = encodeEventHead(time, step, fields::kEventSummary, content, to);
  for (const EncodedValue &value : values)
    to = encodeEntry(value, to);
  finishRecord(now, step, payload, values.size());
}

} // namespace popscope::summary
