#include "summary/records/file_sink.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace popscope::summary {

SinkError errorOfErrno(int code) {
  switch (code) {
  case ENOSPC:
  case EDQUOT:
  case EFBIG:
    return SinkError::diskFull;
  case EACCES:
  case EPERM:
  case EROFS:
    return SinkError::denied;
  case ESTALE:
  case ENOENT:
    return SinkError::vanished;
  case EPIPE:
    return SinkError::noReader;
  default:
    return SinkError::io;
  }
}

FileSink::FileSink(const std::filesystem::path &path)
    : descriptor_(::open(path.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC,
                         0666)) {
  if (descriptor_ == kNoDescriptor)
    throw std::system_error(errno, std::generic_category(),
                            "[summary] cannot create \"" + path.string() +
                                "\"");
}

FileSink::~FileSink() {
  if (descriptor_ != kNoDescriptor)
    ::close(descriptor_);
}

SinkError FileSink::append(std::string_view bytes) noexcept {
  if (descriptor_ == kNoDescriptor)
    return SinkError::closed;
  if (failed_ != SinkError::none)
    return failed_;
  std::size_t stored = 0;
  while (stored < bytes.size()) {
    const ssize_t written =
        ::write(descriptor_, bytes.data() + stored, bytes.size() - stored);
    if (written >= 0) {
      stored += static_cast<std::size_t>(written);
    } else if (errno != EINTR) {
      failed_ = errorOfErrno(errno);
      struct stat status {};
      // If the cut fails, too, half a record stays; readers expect that.
      if (stored != 0 && ::fstat(descriptor_, &status) == 0)
        (void)!::ftruncate(descriptor_,
                           status.st_size - static_cast<off_t>(stored));
      return failed_;
    }
  }
  // Writing to a file that has been unlinked succeeds; only its link count
  // tells that nobody will ever read it.
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && status.st_nlink == 0)
    failed_ = SinkError::vanished;
  return failed_;
}

SinkError FileSink::sync() noexcept {
  if (descriptor_ == kNoDescriptor)
    return SinkError::closed;
  return ::fsync(descriptor_) == 0 ? SinkError::none : errorOfErrno(errno);
}

SinkError FileSink::close() noexcept {
  if (descriptor_ == kNoDescriptor)
    return SinkError::none;
  // Linux releases the descriptor even when close fails, so it is not retried.
  const int result = ::close(descriptor_);
  descriptor_ = kNoDescriptor;
  return result == 0 || errno == EINTR ? SinkError::none : errorOfErrno(errno);
}

} // namespace popscope::summary
