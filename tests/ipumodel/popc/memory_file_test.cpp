#include "poplar/system/memory_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

using ipumodel::MemoryFile;

namespace {

// What the program then prints would end up in it.
TEST(MemoryFile, NeverTakesThePlaceOfAStandardStream) {
  const int kept = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  ::close(STDIN_FILENO);
  const int descriptor = MemoryFile("content").descriptor();
  if (kept >= 0) {
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
  }
  EXPECT_GT(descriptor, STDERR_FILENO);
}

} // namespace
