// A machine that has little memory left: this process gets no more than so
// many bytes while one lives.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <sys/resource.h>

namespace popscope::tests {

class MemoryLimit {
public:
  explicit MemoryLimit(std::uint64_t more) {
    getrlimit(RLIMIT_DATA, &limit_);
    rlimit lower = limit_;
    lower.rlim_cur = taken() + more;
    setrlimit(RLIMIT_DATA, &lower);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_DATA, &limit_); }
  MemoryLimit(const MemoryLimit &) = delete;
  MemoryLimit &operator=(const MemoryLimit &) = delete;

private:
  static std::uint64_t taken() {
    std::ifstream status("/proc/self/status");
    std::uint64_t kibibytes = 0;
    for (std::string word; status >> word;)
      if (word == "VmData:")
        status >> kibibytes;
    return kibibytes * 1024;
  }
  rlimit limit_{};
};

} // namespace popscope::tests
