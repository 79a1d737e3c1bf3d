#include "outfeed/sinks/npy_dump.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace popscope::outfeed {
namespace {

using ::testing::HasSubstr;

// No file of this process gets longer while it lives.
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

private:
  void (*before_)(int);
  rlimit limit_{};
};

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
  void take(NpyDump &dump, float value, std::uint32_t update = 0,
            SampleOrigin origin = {}) const {
    const std::vector<float> elements(kElements, value);
    dump.takeElements(tap, Update(update), origin, elements.data(),
                      elements.size() * sizeof(float));
  }
  // Two replicas and two micro-batches; the value is the number of the update.
  void takeUpdate(NpyDump &dump, std::uint32_t update) const {
    for (unsigned m = 0; m < 2; ++m)
      for (unsigned replica = 0; replica < 2; ++replica)
        take(dump, float(update), update, {replica, m});
  }
  // As it is on the disk, whatever a stream still has.
  std::string contentOf(const std::string &name) const {
    std::ifstream in(directory.path() / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string file() const { return contentOf("dense.kernel:0.npy"); }
  std::string index() const { return contentOf("dense.kernel:0.index.csv"); }

  tests::TempDir directory;
  Tap tap;
};

TEST_F(NpyDumpTest, CanBeReadAfterEveryTransfer) {
  NpyDump dump(directory.path());
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
  NpyDump dump(directory.path());
  unsigned whole = 0;
  {
    const FileSizeLimit limit(50000); // 12 transfers and a half
    EXPECT_THROW(for (; whole < 20; ++whole) take(dump, float(whole)),
                 std::runtime_error);
  }
  EXPECT_EQ(whole, 12u);
  const std::string bytes = file();
  EXPECT_THAT(bytes.substr(0, kHeaderBytes), HasSubstr("'shape': (12, 10, "));
  EXPECT_GE(bytes.size(), kHeaderBytes + whole * kElements * sizeof(float));
}

TEST_F(NpyDumpTest, TheIndexSaysWhatEachRowIsOf) {
  NpyDump dump(directory.path());
  takeUpdate(dump, 3);
  takeUpdate(dump, 7);
  EXPECT_EQ(index(), "row,update,micro_batch,replica\n"
                     "0,3,0,0\n1,3,0,1\n2,3,1,0\n3,3,1,1\n"
                     "4,7,0,0\n5,7,0,1\n6,7,1,0\n7,7,1,1\n");
}

TEST_F(NpyDumpTest, AResumedDumpIsThatOfOneStart) {
  std::string wholeFile, wholeIndex;
  {
    NpyDump dump(directory.path());
    for (std::uint32_t update = 0; update < 10; ++update)
      if (update != 4) // its frames were dropped
        takeUpdate(dump, update);
    wholeFile = file();
    wholeIndex = index();
  }
  NpyDump resumed(directory.path());
  resumed.resume(Update(6)); // what follows is void
  for (std::uint32_t update = 6; update < 10; ++update)
    takeUpdate(resumed, update);
  EXPECT_EQ(index(), wholeIndex);
  EXPECT_EQ(file(), wholeFile);
}

TEST_F(NpyDumpTest, ALineThatAKillCutOffIsWrittenAgain) {
  {
    NpyDump dump(directory.path());
    takeUpdate(dump, 0);
  }
  std::ofstream(directory.path() / "dense.kernel:0.index.csv", std::ios::app)
      << "4,1";
  NpyDump resumed(directory.path());
  resumed.resume(Update(1));
  take(resumed, 1, 1);
  EXPECT_THAT(index(), testing::EndsWith("3,0,1,1\n4,1,0,0\n"));
}

TEST_F(NpyDumpTest, RowsWithoutAnIndexAreNotOverwritten) {
  {
    NpyDump dump(directory.path());
    takeUpdate(dump, 0);
  }
  const std::string before = file();
  std::filesystem::remove(directory.path() / "dense.kernel:0.index.csv");
  NpyDump resumed(directory.path());
  resumed.resume(Update(1));
  EXPECT_THROW(take(resumed, 1, 1), std::runtime_error);
  EXPECT_EQ(file(), before);
}

TEST_F(NpyDumpTest, EveryRowHasALineWhenTheDiskIsFull) {
  NpyDump dump(directory.path());
  unsigned whole = 0;
  {
    const FileSizeLimit limit(50000);
    EXPECT_THROW(for (; whole < 20; ++whole) take(dump, 0, whole),
                 std::runtime_error);
  }
  const std::string lines = index();
  EXPECT_GE(std::count(lines.begin(), lines.end(), '\n'), 1 + long(whole));
}

} // namespace
} // namespace popscope::outfeed
