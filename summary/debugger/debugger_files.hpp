// The set of files that TensorBoard's page Debugger V2 reads.
#pragma once

#include "summary/records/file_sink.hpp"
#include "summary/records/record_writer.hpp"
#include "summary/types.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace popscope::summary {

// Endings of the files' names, after what they have in common.
namespace debugger_files {
constexpr const char *kMetadata = ".metadata";
constexpr const char *kSourceFiles = ".source_files";
constexpr const char *kStackFrames = ".stack_frames";
constexpr const char *kGraphs = ".graphs";
constexpr const char *kTraces = ".graph_execution_traces";
constexpr const char *kExecutions = ".execution";
} // namespace debugger_files

// True for a name of any of the files.
bool isDebuggerFileName(std::string_view name);

// One set, by what its paths have in common.
struct DebuggerFileSet {
  std::filesystem::path prefix;
  std::string runId; // of the program that wrote it; empty if unreadable

  std::filesystem::path file(const char *ending) const {
    return prefix.string() + ending;
  }
};

// The sets of a directory that have metadata, by which readers find them.
std::vector<DebuggerFileSet>
debuggerFilesIn(const std::filesystem::path &directory);

// A prefix in `directory` that no file has.
std::filesystem::path newDebuggerPrefix(const std::filesystem::path &directory,
                                        WallTime now);

// Deletes the files of a set; a file that cannot be deleted stays.
void removeDebuggerFiles(const DebuggerFileSet &set);

// A file of records, made by the constructor, which throws std::system_error if
// it cannot.
struct RecordFile {
  explicit RecordFile(const std::filesystem::path &path)
      : sink(path), records(sink) {}

  FileSink sink;
  RecordWriter records;
};

// Appends the records of steps before `end`; those from the first that is torn
// or damaged on are left out. Returns the time of the last, or `time`.
[[nodiscard]] WallTime copyRecordsBefore(Step end,
                                         const std::filesystem::path &from,
                                         RecordFile &to, WallTime time);

} // namespace popscope::summary
