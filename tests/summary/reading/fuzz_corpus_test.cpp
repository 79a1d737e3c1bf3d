#include "tests/summary/fuzz/read_anything.hpp"

#include <filesystem>
#include <fstream>
#include <google/protobuf/stubs/logging.h>
#include <gtest/gtest.h>
#include <iterator>

namespace popscope::summary {
namespace {

TEST(FuzzCorpus, IsReadWithoutHarm) {
  const google::protobuf::LogSilencer quiet;
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           std::filesystem::path(POPSCOPE_TEST_DATA) / "fuzz_corpus")) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    tests::readAnything(bytes);
    ++files;
  }
  EXPECT_GT(files, 10);
}

} // namespace
} // namespace popscope::summary
