// The trace of a process in the Trace Event format: a JSON array of events.
#pragma once

#include <chrono>
#include <fstream>
#include <mutex>
#include <string>

namespace ipumodel {

// Events are written immediately, so that a program that crashes leaves a
// trace; readers of the format do not need the end of the array.
class TraceFile {
public:
  // The trace of this process; null if PVTI_OPTIONS does not enable it. Reads
  // PVTI_OPTIONS on the first call, which throws std::runtime_error if it is
  // invalid or the file cannot be created.
  static TraceFile *ofProcess();

  explicit TraceFile(const std::string &path);
  ~TraceFile();

  enum class Phase : char {
    begin = 'B',
    end = 'E',
    instant = 'i',
    counter = 'C'
  };
  // `arguments` is a JSON value, or empty. Thread-safe.
  void write(Phase phase, const std::string &category, const std::string &name,
             const std::string &arguments);

private:
  const std::chrono::steady_clock::time_point start_;
  std::mutex mutex_; // guards the members below
  std::ofstream file_;
  bool first_ = true;
};

} // namespace ipumodel
