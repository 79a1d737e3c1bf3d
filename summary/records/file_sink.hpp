// Implements ByteSink with a POSIX file.
#pragma once

#include "summary/records/byte_sink.hpp"

#include <filesystem>

namespace popscope::summary {

constexpr int kNoDescriptor = -1;
// Between attempts to write on what a full disk refused.
constexpr double kSecondsToTryAgain = 1;

// What a system call's errno means for a file being written.
SinkError errorOfErrno(int code);

// A new file, never one that exists already: readers would not see records
// appended after a torn one.
class FileSink final : public ByteSink {
public:
  // Throws std::system_error naming the path if the file exists or cannot be
  // created.
  explicit FileSink(const std::filesystem::path &path);
  ~FileSink() override;
  FileSink(const FileSink &) = delete;
  FileSink &operator=(const FileSink &) = delete;

  // Cuts off what was stored of the bytes if it fails. Uses only write(2),
  // fstat(2) and ftruncate(2).
  [[nodiscard]] SinkError append(std::string_view bytes) noexcept override;
  [[nodiscard]] SinkError sync() noexcept override;
  [[nodiscard]] SinkError close() noexcept override;

private:
  int descriptor_;
  SinkError failed_ = SinkError::none; // of an append, for good
};

} // namespace popscope::summary
