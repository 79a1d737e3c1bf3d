#include "host/run/whole_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(int error, const fs::path &path) {
  throw std::system_error(error, std::generic_category(), path.string());
}

class Descriptor {
public:
  Descriptor(const fs::path &path, int flags)
      : value_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (value_ < 0)
      fail(errno, path);
  }
  ~Descriptor() { ::close(value_); }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  int get() const { return value_; }

private:
  const int value_;
};

void writeAll(int descriptor, std::string_view bytes, const fs::path &path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0)
      bytes.remove_prefix(std::size_t(written));
    else if (errno != EINTR)
      fail(errno, path);
  }
}

// Some file systems cannot; what they do instead has to be enough.
void sync(int descriptor, const fs::path &path) {
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS)
    fail(errno, path);
}

} // namespace

void replaceFile(const fs::path &file, std::string_view content) {
  fs::path aside = file;
  aside += ".new";
  try {
    const Descriptor fresh(aside, O_WRONLY | O_CREAT | O_TRUNC);
    writeAll(fresh.get(), content, aside);
    sync(fresh.get(), aside);
    fs::rename(aside, file);
  } catch (...) {
    std::error_code ignored;
    fs::remove(aside, ignored); // half a file only fills the disk
    throw;
  }
  const fs::path directory = file.has_parent_path() ? file.parent_path() : ".";
  const Descriptor names(directory, O_RDONLY | O_DIRECTORY);
  sync(names.get(), directory);
}

} // namespace popscope::host
