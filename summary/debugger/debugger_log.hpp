// Writes what TensorBoard's page Debugger V2 shows: the ops of a program, and
// the health of their tensors from execution to execution.
//
//   DebuggerLog log("logs/run", program);
//   log.trace(2, Step(37), health); // of the program's third op
//   log.execution(Step(37), healthOfAll);
//
// TensorBoard shows it with --logdir logs/run, if TensorFlow, whose reader it
// uses, is installed beside it. The page is in the list of inactive ones.
#pragma once

#include "summary/debugger/debug_events.hpp"
#include "summary/debugger/debugged_program.hpp"
#include "summary/debugger/debugger_files.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace popscope::summary {

struct DebuggerLogOptions {
  // An execution this long after the last flush flushes.
  std::chrono::milliseconds flushEvery{1000};
  // An earlier start of the program wrote the steps before this one, which are
  // kept; what it wrote of later ones is left out.
  std::optional<Step> resumeAt;
  // Told once, when writing fails; by default nobody is.
  WriteListener onFailure;
  Clock clock = systemTime;
};

// Nothing throws: the first failure, that of creating a file included, ends the
// writing, and report() counts what is lost. Used by one thread at a time.
class DebuggerLog {
public:
  // Creates the directory and the files. The page shows one program of a
  // directory, so the files of an earlier one that this class wrote are
  // replaced.
  DebuggerLog(const std::filesystem::path &directory, DebuggedProgram program,
              DebuggerLogOptions options = {});
  ~DebuggerLog(); // flushes
  DebuggerLog(const DebuggerLog &) = delete;
  DebuggerLog &operator=(const DebuggerLog &) = delete;

  // The health of the tensor of one op, by its place in the program.
  void trace(std::size_t op, Step step, const HealthCounts &health);
  // Ends one execution of the program; `health` is that of all its tensors.
  void execution(Step step, const HealthCounts &health);
  void flush();

  const WriteReport &report() const { return report_; }

private:
  void create(const std::filesystem::path &directory);
  static void writeWhole(const std::filesystem::path &path,
                         const std::vector<std::string> &records);
  void keep(const DebuggerFileSet &earlier);
  WallTime now();
  // Space for a record, or null, and it is counted as lost.
  char *makeRoom(RecordFile *file, Step step, std::size_t bytes);
  void commit(RecordFile &file, Step step, std::size_t bytes);
  void fail(std::string why);
  void lose(std::uint64_t records, std::uint64_t bytes, Step first);

  const DebuggedProgram program_;
  const DebuggerLogOptions options_;
  std::vector<TraceEncoder> traceEncoders_; // by op
  std::unique_ptr<RecordFile> traces_;      // both null after a failure
  std::unique_ptr<RecordFile> executions_;
  WallTime time_{0}; // the last written: the reader wants it to grow
  double lastFlush_ = 0;
  std::uint64_t unflushedRecords_ = 0;
  std::uint64_t unflushedBytes_ = 0;
  Step firstUnflushed_{0};
  WriteReport report_;
};

} // namespace popscope::summary
