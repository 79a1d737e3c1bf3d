// A disk that is full: no file of this process gets longer while one lives.
#pragma once

#include <csignal>
#include <sys/resource.h>

namespace popscope::tests {

class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes)
      : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    rlimit lower = limit_;
    lower.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &lower);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }
  FileSizeLimit(const FileSizeLimit &) = delete;
  FileSizeLimit &operator=(const FileSizeLimit &) = delete;

private:
  void (*before_)(int);
  rlimit limit_{};
};

} // namespace popscope::tests
