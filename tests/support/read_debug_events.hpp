// Reads the files of TensorBoard's debugger that a directory has.
#pragma once

#include "summary/debugger/debugger_files.hpp"
#include "summary/proto/debug_event.pb.h"
#include "summary/records/file_source.hpp"
#include "summary/records/record_reader.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::tests {

// The one file of this ending.
inline std::filesystem::path
debuggerFile(const std::filesystem::path &directory, const char *ending) {
  const std::vector<summary::DebuggerFileSet> sets =
      summary::debuggerFilesIn(directory);
  if (sets.size() != 1)
    throw std::runtime_error(std::to_string(sets.size()) +
                             " sets of files in " + directory.string());
  return sets[0].file(ending);
}

// Its whole records.
inline std::vector<summary::proto::DebugEvent>
readDebugEvents(const std::filesystem::path &directory, const char *ending) {
  summary::FileSource source(debuggerFile(directory, ending));
  summary::RecordReader reader(source);
  std::vector<summary::proto::DebugEvent> events;
  while (reader.next() == summary::ReadState::record)
    if (!events.emplace_back().ParseFromArray(reader.payload().data(),
                                              int(reader.payload().size())))
      throw std::runtime_error("a record that is not a DebugEvent");
  return events;
}

} // namespace popscope::tests
