// The file that debug information is written to while a program has it open.
#pragma once

#include <poplar/DebugContext.hpp>

#include <atomic>
#include <fstream>
#include <mutex>
#include <string>

namespace ipumodel {

// One document {"contexts": [...]} with an element per value, written as values
// arrive. Thread-safe.
class DebugStream {
public:
  // Poplar's interface is static, so there is one per process.
  static DebugStream &ofProcess();
  ~DebugStream() { close(); }

  // Closes the previous file. Throws file_load_error.
  void open(const std::string &path, poplar::DebugSerializationFormat format);
  void close();
  bool isOpen() const { return open_; }
  void write(const poplar::ProfileValue &context);

private:
  std::atomic<bool> open_{false};
  std::mutex mutex_; // guards the members below
  std::ofstream file_;
  poplar::DebugSerializationFormat format_{};
  bool first_ = true;
};

} // namespace ipumodel
