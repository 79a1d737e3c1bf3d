// The file debug information goes to while a program has one open.
#pragma once

#include <poplar/DebugContext.hpp>

#include <atomic>
#include <fstream>
#include <mutex>
#include <string>

namespace ipumodel {

// One document {"contexts": [...]} with an element per value, written as it
// comes. Any thread may call.
class DebugStream {
public:
  // Poplar's interface to it is static, so there is one.
  static DebugStream &ofProcess();
  ~DebugStream() { close(); }

  // Closes what was open before. Throws file_load_error.
  void open(const std::string &path, poplar::DebugSerializationFormat format);
  void close();
  bool isOpen() const { return open_; }
  void write(const poplar::ProfileValue &context);

private:
  std::atomic<bool> open_{false};
  std::mutex mutex_; // guards what follows
  std::ofstream file_;
  poplar::DebugSerializationFormat format_{};
  bool first_ = true;
};

} // namespace ipumodel
