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
  void take(NpyDump &dump, float value,
            summary::Step step = summary::Step(0)) const {
    const std::vector<float> elements(kElements, value);
    dump.takeElements(tap, step, {}, elements.data(),
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
  std::vector<summary::WriteReport> told;
  NpyDump dump(directory.path(), {}, [&](const summary::WriteReport &report) {
    told.push_back(report);
  });
  {
    const tests::FileSizeLimit limit(50000); // 12 transfers and a half
    for (int step = 0; step < 20; ++step)
      take(dump, float(step), summary::Step(step));
  }
  const std::string bytes = file();
  EXPECT_THAT(bytes.substr(0, kHeaderBytes), HasSubstr("'shape': (12, 10, "));
  EXPECT_GE(bytes.size(), kHeaderBytes + 12 * kElements * sizeof(float));
  ASSERT_EQ(dump.reports().size(), 1u);
  const summary::WriteReport report = dump.reports()[0];
  EXPECT_THAT(report.what, HasSubstr("dense.kernel:0.npy"));
  EXPECT_EQ(report.error, "disk full");
  EXPECT_EQ(report.lostRecords, 8u);
  EXPECT_EQ(report.lostBytes, 8 * kElements * sizeof(float));
  EXPECT_EQ(report.firstLost->value(), 12);
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0].lostRecords, 1u) << "at once";
}

TEST_F(NpyDumpTest, AFileThatCannotBeWrittenSparesTheOthers) {
  std::filesystem::create_directory(directory.path() / "other.npy");
  Tap other = tap;
  other.id = TapId(1);
  other.tensor.name = "other";
  NpyDump dump(directory.path(), {});
  const std::vector<float> elements(kElements);
  for (int step = 5; step < 7; ++step) {
    dump.takeElements(other, summary::Step(step), {}, elements.data(),
                      elements.size() * sizeof(float));
    take(dump, 1, summary::Step(step));
  }
  dump.flush();
  EXPECT_THAT(file(), HasSubstr("'shape': (2, 10, "));
  const auto reports = dump.reports();
  ASSERT_EQ(reports.size(), 2u);
  EXPECT_TRUE(reports[0].isWhole());
  EXPECT_EQ(reports[1].error, "Is a directory");
  EXPECT_EQ(reports[1].lostRecords, 2u);
  EXPECT_EQ(reports[1].firstLost->value(), 5);
}

TEST_F(NpyDumpTest, NoticesThatItsFileVanished) {
  NpyDump dump(directory.path(), {});
  take(dump, 1, summary::Step(3));
  std::filesystem::remove_all(directory.path() / "dense.kernel:0.npy");
  dump.flush();
  ASSERT_EQ(dump.reports().size(), 1u);
  EXPECT_THAT(dump.reports()[0].error, HasSubstr("was removed"));
  EXPECT_EQ(dump.reports()[0].lostRecords, 1u);
  EXPECT_EQ(dump.reports()[0].firstLost->value(), 3);
}

} // namespace
} // namespace popscope::outfeed
