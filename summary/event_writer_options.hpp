// How an EventWriter behaves; every member has a default.
#pragma once

#include "summary/records/byte_sink.hpp"
#include "summary/types.hpp"
#include "summary/write_report.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace popscope::summary {

// What a flush has achieved when it returns.
enum class Durability {
  survivesKill,     // the operating system has the data
  survivesPowerLoss // the storage device has them (fsync)
};

// What happens if the directory or the first file cannot be created.
enum class OpenFailure {
  throws,    // std::runtime_error
  isReported // like a later failure: onFailure is told
};

struct EventWriterOptions {
  // A write this long after the last flush flushes.
  std::chrono::milliseconds flushEvery{1000};
  Durability durability = Durability::survivesKill;

  // Of each tag, keeps the first value and then every n-th.
  std::uint64_t everyNth = 1;
  // Once the event files of the run have this many bytes, nothing more is
  // written. 0: no limit.
  std::uint64_t maxRunBytes = 0;
  // A file that has reached this many bytes is followed by a new one. 0: never.
  std::uint64_t rotateBytes = 0;
  // Keeps this many files, deleting this writer's oldest when it begins a new
  // one; files that hold graphs, hyperparameters, layouts or session starts
  // stay in any case. 0: keeps all.
  std::size_t keepFiles = 0;

  // Appended to the names of the files.
  std::string fileSuffix;
  OpenFailure openFailure = OpenFailure::throws;
  // Told whenever the writer fails; by default the failure is printed on the
  // standard error stream.
  WriteListener onFailure;
  // Told once, when the writer is closed or destroyed, if values were lost.
  WriteListener onClose;
  Clock clock = systemTime;
  // Creates the file at a path; by default a FileSink. Throws
  // std::system_error if it cannot.
  std::function<std::unique_ptr<ByteSink>(const std::filesystem::path &)>
      openFile;
};

} // namespace popscope::summary
