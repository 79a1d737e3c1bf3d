// Who writes a run.
#pragma once

#include <filesystem>

namespace popscope::host {

// One process at a time has the lock of a directory. It goes when the process
// ends, however that ends; nothing is left behind. On file systems without
// locks everybody gets it.
class RunLock {
public:
  // Throws BadInput if another process has it, fs::filesystem_error if the
  // directory cannot be read.
  explicit RunLock(const std::filesystem::path &directory);
  ~RunLock();
  RunLock(const RunLock &) = delete;
  RunLock &operator=(const RunLock &) = delete;

private:
  int descriptor_;
};

// Throws like RunLock, but takes the lock only as others may at the same time,
// and gives it back.
void requireUnlocked(const std::filesystem::path &directory);

} // namespace popscope::host
