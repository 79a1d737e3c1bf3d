#include "poplar/system/file_content.hpp"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace ipumodel {
namespace {

[[noreturn]] void fail(const std::string &what) {
  throw std::system_error(errno, std::generic_category(), what);
}

class File {
public:
  explicit File(int fd) : fd_(fd) {}
  File(const File &) = delete;
  File &operator=(const File &) = delete;
  ~File() { ::close(fd_); }
  int get() const { return fd_; }

private:
  int fd_;
};

std::string readAll(int fd, const std::string &name) {
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const auto count = ::read(fd, buffer, sizeof buffer);
    if (count == 0)
      return content;
    if (count > 0)
      content.append(buffer, static_cast<std::size_t>(count));
    else if (errno != EINTR)
      fail("cannot read " + name);
  }
}

void writeAll(int fd, std::string_view content, const std::string &name) {
  while (!content.empty()) {
    const auto count = ::write(fd, content.data(), content.size());
    if (count >= 0)
      content.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      fail("cannot write " + name);
  }
}

} // namespace

std::string readFile(const std::string &path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    fail("cannot open " + path);
  return readAll(File(fd).get(), path);
}

std::string readStandardInput() {
  return readAll(STDIN_FILENO, "standard input");
}

void writeFile(const std::string &path, std::string_view content) {
  std::string aside = path + ".XXXXXX";
  const int fd = ::mkostemp(aside.data(), O_CLOEXEC);
  if (fd < 0)
    fail("cannot write " + path);
  const File file(fd);
  try {
    writeAll(fd, content, path);
    const mode_t mask = ::umask(0); // mkostemp asks for 0600
    ::umask(mask);
    ::fchmod(fd, 0666 & ~mask);
    if (std::rename(aside.c_str(), path.c_str()) != 0)
      fail("cannot write " + path);
  } catch (...) {
    ::unlink(aside.c_str());
    throw;
  }
}

} // namespace ipumodel
