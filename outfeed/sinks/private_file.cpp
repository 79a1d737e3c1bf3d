#include "outfeed/sinks/private_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace popscope::outfeed {

void makePrivate(const std::filesystem::path &file) {
  constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;
  const int descriptor = ::open(
      file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0 || ::fchmod(descriptor, kOwnerOnly) != 0) {
    const std::error_code reason(errno, std::generic_category());
    if (descriptor >= 0)
      ::close(descriptor);
    throw std::system_error(reason);
  }
  ::close(descriptor);
}

} // namespace popscope::outfeed
