#include "host/run/run_lock.hpp"

#include "host/command.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

int lockedDirectory(const fs::path &directory, int kind) {
  const int descriptor =
      ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    throw fs::filesystem_error("cannot be read", directory,
                               std::error_code(errno, std::generic_category()));
  if (::flock(descriptor, kind | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor);
    throw BadInput(directory.string() +
                   ": another popscope is writing this run; wait for it, stop "
                   "it, or choose another --run");
  }
  return descriptor;
}

} // namespace

RunLock::RunLock(const fs::path &directory)
    : descriptor_(lockedDirectory(directory, LOCK_EX)) {}

RunLock::~RunLock() { ::close(descriptor_); }

void requireUnlocked(const fs::path &directory) {
  ::close(lockedDirectory(directory, LOCK_SH));
}

} // namespace popscope::host
