#include "host/run/mapped_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace popscope::host {

MappedFile::MappedFile(const std::filesystem::path &file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  void *map = MAP_FAILED;
  if (descriptor >= 0 && ::fstat(descriptor, &status) == 0)
    map = status.st_size == 0 // nothing to map
              ? nullptr
              : ::mmap(nullptr, std::size_t(status.st_size), PROT_READ,
                       MAP_PRIVATE, descriptor, 0);
  const int error = errno;
  if (descriptor >= 0)
    ::close(descriptor);
  if (map == MAP_FAILED)
    throw std::system_error(error, std::generic_category(), file.string());
  bytes_ = {static_cast<const char *>(map), std::size_t(status.st_size)};
}

MappedFile::~MappedFile() {
  if (!bytes_.empty())
    ::munmap(const_cast<char *>(bytes_.data()), bytes_.size());
}

} // namespace popscope::host
