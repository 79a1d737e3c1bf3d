#include "summary/debugger/debugger_log.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace popscope::summary {

namespace fs = std::filesystem;

DebuggerLog::DebuggerLog(const fs::path &directory, DebuggedProgram program,
                         DebuggerLogOptions options)
    : program_(std::move(program)), options_(std::move(options)) {
  report_.what = directory.string();
  const std::vector<std::string> names = opNames(program_);
  for (std::size_t op = 0; op < program_.ops.size(); ++op)
    traceEncoders_.emplace_back(program_, op, names[op]);
  try {
    create(directory);
  } catch (const std::system_error &error) {
    fail("the files of the debugger cannot be created: " +
         error.code().message());
  } catch (const std::runtime_error &error) {
    fail(error.what());
  }
}

DebuggerLog::~DebuggerLog() { flush(); }

// Readers find a set by its metadata and then expect the other files, in which
// records refer to those of the files before.
void DebuggerLog::create(const fs::path &directory) {
  using namespace debugger_files;
  const std::vector<DebuggerFileSet> earlier = debuggerFilesIn(directory);
  for (const DebuggerFileSet &set : earlier)
    if (set.runId != kDebuggerRunId)
      throw std::runtime_error(
          "TensorBoard shows one debugged program of a directory, and " +
          set.file(kMetadata).string() + " is of another one");
  fs::create_directories(directory);
  time_ = options_.clock();
  const DebuggerFileSet set{newDebuggerPrefix(directory, time_), {}};
  writeWhole(set.file(kSourceFiles), sourceFileRecords(program_, time_));
  writeWhole(set.file(kStackFrames), stackFrameRecords(program_, time_));
  writeWhole(set.file(kGraphs), graphRecords(program_, time_));
  traces_ = std::make_unique<RecordFile>(set.file(kTraces));
  executions_ = std::make_unique<RecordFile>(set.file(kExecutions));
  const WallTime start = time_;
  if (options_.resumeAt)
    for (const DebuggerFileSet &kept : earlier)
      keep(kept);
  writeWhole(set.file(kMetadata), {metadataRecord(start)});
  for (const DebuggerFileSet &old : earlier)
    removeDebuggerFiles(old);
  lastFlush_ = time_.seconds();
}

void DebuggerLog::writeWhole(const fs::path &path,
                             const std::vector<std::string> &records) {
  RecordFile file(path);
  SinkError error = SinkError::none;
  for (const std::string &record : records)
    if (error == SinkError::none)
      error = file.records.append(record);
  if (error == SinkError::none)
    error = file.records.flush();
  if (error == SinkError::none)
    error = file.sink.close();
  if (error != SinkError::none)
    throw std::runtime_error(std::string(describe(error)));
}

void DebuggerLog::keep(const DebuggerFileSet &earlier) {
  using namespace debugger_files;
  for (const auto &[ending, file] :
       {std::pair(kTraces, traces_.get()), {kExecutions, executions_.get()}}) {
    time_ = copyRecordsBefore(*options_.resumeAt, earlier.file(ending), *file,
                              time_);
    const SinkError error = file->records.flush();
    if (error != SinkError::none)
      throw std::runtime_error(std::string(describe(error)));
  }
}

WallTime DebuggerLog::now() {
  time_ = std::max(time_, options_.clock());
  return time_;
}

void DebuggerLog::trace(std::size_t op, Step step, const HealthCounts &health) {
  TraceEncoder &encoder = traceEncoders_[op];
  const std::size_t bytes = encoder.bytes(step, health);
  if (char *const to = makeRoom(traces_.get(), step, bytes)) {
    encoder.encode(now(), step, to);
    commit(*traces_, step, bytes);
  }
}

void DebuggerLog::execution(Step step, const HealthCounts &health) {
  const WallTime time = now();
  const std::string record = executionRecord(program_, time, step, health);
  if (char *const to = makeRoom(executions_.get(), step, record.size())) {
    record.copy(to, record.size());
    commit(*executions_, step, record.size());
  }
  const double elapsed = time.seconds() - lastFlush_;
  if (elapsed >= std::chrono::duration<double>(options_.flushEvery).count())
    flush();
}

char *DebuggerLog::makeRoom(RecordFile *file, Step step, std::size_t bytes) {
  if (file) {
    if (char *const to = file->records.reserve(bytes))
      return to;
    fail(std::string(describe(file->records.error())));
  }
  lose(1, bytes + kFrameBytes, step);
  return nullptr;
}

void DebuggerLog::commit(RecordFile &file, Step step, std::size_t bytes) {
  file.records.commit(bytes);
  if (unflushedRecords_ == 0)
    firstUnflushed_ = step;
  ++unflushedRecords_;
  unflushedBytes_ += bytes + kFrameBytes;
}

void DebuggerLog::flush() {
  if (!traces_)
    return;
  SinkError error = traces_->records.flush();
  if (error == SinkError::none)
    error = executions_->records.flush();
  if (error != SinkError::none)
    fail(std::string(describe(error)));
  unflushedRecords_ = unflushedBytes_ = 0;
  lastFlush_ = time_.seconds();
}

// What was flushed by a full buffer may be in the file all the same.
void DebuggerLog::fail(std::string why) {
  if (unflushedRecords_ != 0)
    lose(unflushedRecords_, unflushedBytes_, firstUnflushed_);
  unflushedRecords_ = unflushedBytes_ = 0;
  traces_.reset();
  executions_.reset();
  report_.error = std::move(why);
  if (options_.onFailure)
    options_.onFailure(report_);
}

void DebuggerLog::lose(std::uint64_t records, std::uint64_t bytes, Step first) {
  if (!report_.firstLost)
    report_.firstLost = first;
  report_.lostRecords += records;
  report_.lostBytes += bytes;
}

} // namespace popscope::summary
