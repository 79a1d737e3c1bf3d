#include "poplar/system/memory_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace ipumodel {

MemoryFile::MemoryFile(std::string_view content)
    : descriptor_(::memfd_create("ipumodel", MFD_CLOEXEC)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "memfd_create");
  // In a program whose standard streams are closed it would become one.
  if (descriptor_ <= STDERR_FILENO) {
    const int low = descriptor_;
    descriptor_ = ::fcntl(low, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    ::close(low);
    if (descriptor_ < 0)
      throw std::system_error(errno, std::generic_category(), "fcntl");
  }
  while (!content.empty()) {
    const auto count = ::write(descriptor_, content.data(), content.size());
    if (count >= 0) {
      content.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      const int error = errno;
      ::close(descriptor_);
      throw std::system_error(error, std::generic_category(),
                              "cannot write a file in memory");
    }
  }
  ::lseek(descriptor_, 0, SEEK_SET);
}

MemoryFile::~MemoryFile() { ::close(descriptor_); }

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_);
}

} // namespace ipumodel
