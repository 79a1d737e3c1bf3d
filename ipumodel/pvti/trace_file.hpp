// The trace of a process in the Trace Event format: a JSON array of events.
#pragma once

#include <chrono>
#include <fstream>
#include <mutex>
#include <string>

namespace ipumodel {

// Events are written as they come, so that a program that crashes leaves a
// trace; readers of the format do not need the end of the array.
class TraceFile {
public:
  // Of the process, or null if PVTI_OPTIONS does not ask for one. Read at the
  // first call, which throws std::runtime_error if PVTI_OPTIONS is no good or
  // the file cannot be made.
  static TraceFile *ofProcess();

  explicit TraceFile(const std::string &path);
  ~TraceFile();

  enum class Phase : char {
    begin = 'B',
    end = 'E',
    instant = 'i',
    counter = 'C'
  };
  // `arguments` is a JSON value, or empty. Any thread may call.
  void write(Phase phase, const std::string &category, const std::string &name,
             const std::string &arguments);

private:
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_; // guards what follows
  std::ofstream file_;
  bool first_ = true;
};

} // namespace ipumodel
