// The whole interface between event files and storage.
#pragma once

#include <string_view>

namespace popscope::summary {

// Why bytes did not reach their storage.
enum class SinkError {
  none,
  diskFull,  // no space, quota or file-size limit
  denied,    // permission, or a read-only file system
  vanished,  // the file or its directory was removed while open
  noReader,  // a pipe or socket whose other end was closed
  closed,    // written after close
  overLimit, // the run has used up the bytes it was given
  io,        // anything else the operating system reported
};

// A few words for people, such as "disk full".
std::string_view describe(SinkError error);

// Append-only storage. Implementations are used by one thread at a time.
class ByteSink {
public:
  virtual ~ByteSink() = default;

  // Stores all of `bytes` or fails; after a failure, an unknown prefix of them
  // may be stored, and nothing may be appended any more: readers stop at a
  // hole. If EventWriter::closeFromSignal is used, this must be
  // async-signal-safe.
  [[nodiscard]] virtual SinkError append(std::string_view bytes) noexcept = 0;

  // Returns when what was appended would survive a loss of power.
  [[nodiscard]] virtual SinkError sync() noexcept = 0;

  // Nothing may be appended afterwards. Closing twice is harmless.
  [[nodiscard]] virtual SinkError close() noexcept = 0;
};

} // namespace popscope::summary
