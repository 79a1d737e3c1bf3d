#include "summary/records/file_source.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace popscope::summary {
namespace {

[[noreturn]] void fail(const char *what, const std::filesystem::path &path) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("[summary] cannot ") + what + " \"" +
                              path.string() + "\"");
}

} // namespace

FileSource::FileSource(const std::filesystem::path &path, std::uint64_t offset)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0)
    fail("open", path_);
  if (offset != 0 &&
      ::lseek(descriptor_, static_cast<off_t>(offset), SEEK_SET) < 0) {
    const int error = errno;
    ::close(descriptor_);
    errno = error;
    fail("seek in", path_);
  }
}

FileSource::~FileSource() { ::close(descriptor_); }

std::size_t FileSource::read(char *to, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(descriptor_, to, size);
    if (got >= 0)
      return static_cast<std::size_t>(got);
    if (errno != EINTR)
      fail("read", path_);
  }
}

} // namespace popscope::summary
