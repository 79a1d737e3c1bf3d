// What this process takes of the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

namespace popscope::tests {

struct ProcessStatus {
  // A sanitiser takes memory of its own.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  static constexpr bool isMemoryTold = false;
#else
  static constexpr bool isMemoryTold = true;
#endif

  std::uint64_t residentBytes = 0;
  std::uint64_t mostResidentBytes = 0; // up to now
  std::size_t descriptors = 0;

  static ProcessStatus now() {
    ProcessStatus status;
    std::uint64_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    status.residentBytes = pages * std::uint64_t(::sysconf(_SC_PAGESIZE));
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    status.mostResidentBytes = std::uint64_t(usage.ru_maxrss) * 1024;
    status.descriptors = std::size_t(std::distance(
        std::filesystem::directory_iterator("/proc/self/fd"), {}));
    return status;
  }
};

} // namespace popscope::tests
