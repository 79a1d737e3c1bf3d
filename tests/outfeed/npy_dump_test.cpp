#include "outfeed/sinks/npy_dump.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using ::testing::HasSubstr;

class NpyDumpTest : public ::testing::Test {
protected:
  static constexpr std::size_t kElements = 1000;
  static constexpr std::size_t kHeaderBytes = 256;

  NpyDumpTest() {
    tap.tensor.name = "dense/kernel:0";
    tap.tensor.dtype = "float";
    tap.tensor.shape = {10, 100};
    tap.tensor.numElements = kElements;
  }
  void take(NpyDump &dump, float value) const {
    const std::vector<float> elements(kElements, value);
    dump.takeElements(tap, summary::Step(0), {}, elements.data(),
                      elements.size() * sizeof(float));
  }
  // As it is on the disk, whatever a stream still has.
  std::string file() const {
    std::ifstream in(directory.path() / "dense.kernel:0.npy", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  tests::TempDir directory;
  Tap tap;
};

TEST_F(NpyDumpTest, CanBeReadAfterEveryTransfer) {
  NpyDump dump(directory.path(), {});
  for (unsigned transfers = 1; transfers <= 20; ++transfers) {
    take(dump, float(transfers));
    const std::string bytes = file();
    EXPECT_THAT(
        bytes.substr(0, kHeaderBytes),
        HasSubstr("'shape': (" + std::to_string(transfers) + ", 10, 100,)"));
    EXPECT_EQ(bytes.size(),
              kHeaderBytes + transfers * kElements * sizeof(float));
  }
}

TEST_F(NpyDumpTest, TellsOfWholeTransfersOnlyWhenTheDiskIsFull) {
  NpyDump dump(directory.path(), {});
  unsigned whole = 0;
  {
    const tests::FileSizeLimit limit(50000); // 12 transfers and a half
    EXPECT_THROW(for (; whole < 20; ++whole) take(dump, float(whole)),
                 std::runtime_error);
  }
  EXPECT_EQ(whole, 12u);
  const std::string bytes = file();
  EXPECT_THAT(bytes.substr(0, kHeaderBytes), HasSubstr("'shape': (12, 10, "));
  EXPECT_GE(bytes.size(), kHeaderBytes + whole * kElements * sizeof(float));
}

} // namespace
} // namespace popscope::outfeed
