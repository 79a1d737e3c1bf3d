#include "host/run/run_lock.hpp"

#include "host/command.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

RunLock::RunLock(const fs::path &directory)
    : descriptor_(
          ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    throw fs::filesystem_error("cannot be read", directory,
                               std::error_code(errno, std::generic_category()));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw BadInput(directory.string() +
                   ": another popscope is writing this run; wait for it, stop "
                   "it, or choose another --run");
  }
}

RunLock::~RunLock() { ::close(descriptor_); }

} // namespace popscope::host
