#include "outfeed/sinks/npy_dump.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <utility>
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
  std::vector<summary::WriteReport> told;
  NpyDump dump(directory.path(), [&](const summary::WriteReport &report) {
    told.push_back(report);
  });
  {
    const tests::FileSizeLimit limit(50000); // 12 transfers and a half
    for (std::uint32_t update = 0; update < 20; ++update)
      take(dump, float(update), update);
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
  NpyDump dump(directory.path());
  const std::vector<float> elements(kElements);
  for (std::uint32_t update = 5; update < 7; ++update) {
    dump.takeElements(other, Update(update), {}, elements.data(),
                      elements.size() * sizeof(float));
    take(dump, 1, update);
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
  NpyDump dump(directory.path());
  take(dump, 1, 3);
  std::filesystem::remove_all(directory.path() / "dense.kernel:0.npy");
  dump.flush();
  ASSERT_EQ(dump.reports().size(), 1u);
  EXPECT_THAT(dump.reports()[0].error, HasSubstr("was removed"));
  EXPECT_EQ(dump.reports()[0].lostRecords, 1u);
  EXPECT_EQ(dump.reports()[0].firstLost->value(), 3);
}

TEST_F(NpyDumpTest, GoesOnAfterItsLastWholeRowWhenTheDiskHasRoom) {
  tests::FakeClock clock(100);
  NpyDump dump(directory.path(), {}, clock);
  {
    const tests::FileSizeLimit limit(10000); // two transfers and a half
    for (std::uint32_t update = 0; update < 4; ++update)
      take(dump, float(update), update);
  }
  take(dump, 4, 4);
  clock.advance(1);
  take(dump, 5, 5);
  EXPECT_EQ(index(), "row,update,micro_batch,replica\n0,0,0,0\n1,1,0,0\n"
                     "2,5,0,0\n");
  EXPECT_THAT(file(), HasSubstr("'shape': (3, 10, "));
  EXPECT_EQ(file().size(), kHeaderBytes + 3 * kElements * sizeof(float));
  float last = 0;
  std::memcpy(&last, file().data() + file().size() - sizeof last, sizeof last);
  EXPECT_EQ(last, 5.0f);
  const summary::WriteReport report = dump.reports()[0];
  EXPECT_EQ(report.error, "disk full; writing went on later");
  EXPECT_EQ(report.lostRecords, 3u);
  EXPECT_EQ(report.firstLost->value(), 2);
}

TEST_F(NpyDumpTest, NothingOfARowThatDidNotFitStays) {
  NpyDump dump(directory.path());
  const tests::FileSizeLimit limit(10000);
  for (std::uint32_t update = 0; update < 4; ++update)
    take(dump, 0, update);
  EXPECT_EQ(file().size(), kHeaderBytes + 2 * kElements * sizeof(float));
  EXPECT_THAT(index(), testing::EndsWith("\n1,1,0,0\n"));
}

TEST_F(NpyDumpTest, BeginsAnewWhenItsDirectoryWasRemoved) {
  tests::FakeClock clock(100);
  const std::filesystem::path below = directory.path() / "dump";
  NpyDump dump(below, {}, clock);
  take(dump, 1, 3);
  std::filesystem::remove_all(below);
  take(dump, 1, 4);
  clock.advance(1);
  take(dump, 1, 5);
  EXPECT_THAT(contentOf("dump/dense.kernel:0.index.csv"),
              testing::EndsWith("replica\n0,5,0,0\n"));
  EXPECT_EQ(dump.reports()[0].lostRecords, 2u);
  EXPECT_EQ(dump.reports()[0].firstLost->value(), 3);
}

TEST_F(NpyDumpTest, IsTheOwnersAlone) {
  namespace fs = std::filesystem;
  directory.file("dense.kernel:0.index.csv", ""); // by an earlier version
  NpyDump dump(directory.path());
  take(dump, 1);
  for (const auto &entry : fs::directory_iterator(directory.path()))
    EXPECT_EQ(entry.status().permissions(), fs::perms(0600)) << entry.path();
}

TEST_F(NpyDumpTest, WritesNothingToWhereALinkLeads) {
  const std::string precious = directory.file("precious", "years of work");
  std::filesystem::create_symlink(precious,
                                  directory.path() / "dense.kernel:0.npy");
  NpyDump dump(directory.path());
  take(dump, 1);
  EXPECT_EQ(contentOf("precious"), "years of work");
  ASSERT_EQ(dump.reports().size(), 1u);
  EXPECT_NE(dump.reports().front().error, "");
}

TEST_F(NpyDumpTest, NoNameLeadsOutOfItsDirectory) {
  namespace fs = std::filesystem;
  const fs::path inner = directory.path() / "a/b";
  for (const char *name :
       {"..", "../x", "../../x", "/x", "a/../../../x", "."}) {
    tap.tensor.name = name;
    NpyDump dump(inner);
    take(dump, 1);
    EXPECT_EQ(dump.reports().front().error, "") << name;
  }
  for (const fs::path &outer : {directory.path(), directory.path() / "a"})
    EXPECT_EQ(std::distance(fs::directory_iterator(outer), {}), 1) << outer;
}

TEST_F(NpyDumpTest, IsNamedAsTheTagOfItsTensor) {
  tap.tensor.name = "dense/kernel:0_grad";
  tap.tensor.kind = graph::TensorKind::gradient;
  NpyDump dump(directory.path());
  for (const auto &[moment, name] :
       {std::make_pair(graph::TapMoment::microBatch,
                       "dense.kernel:0_grad_per_micro_batch.npy"),
        std::make_pair(graph::TapMoment::accumulated,
                       "dense.kernel:0_grad.npy"),
        std::make_pair(graph::TapMoment::reduced,
                       "dense.kernel:0_grad_reduced.npy")}) {
    tap.id = TapId(unsigned(moment));
    tap.tensor.moment = moment;
    take(dump, 1);
    EXPECT_TRUE(std::filesystem::exists(directory.path() / name)) << name;
  }
}

TEST_F(NpyDumpTest, TensorsThatShareATagHaveFilesOfTheirOwn) {
  NpyDump dump(directory.path());
  take(dump, 1);
  tap.id = TapId(1);
  tap.tensor.moment = graph::TapMoment::applied;
  take(dump, 2);
  take(dump, 2);
  EXPECT_THAT(file(), HasSubstr("'shape': (1, 10, "));
  EXPECT_THAT(contentOf("dense.kernel:0.applied.npy"),
              HasSubstr("'shape': (2, 10, "));
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
  take(resumed, 1, 1);
  EXPECT_EQ(file(), before);
  ASSERT_EQ(resumed.reports().size(), 1u);
  EXPECT_THAT(resumed.reports()[0].error, HasSubstr("is missing"));
  EXPECT_EQ(resumed.reports()[0].lostRecords, 1u);
}

TEST_F(NpyDumpTest, EveryRowHasALineWhenTheDiskIsFull) {
  NpyDump dump(directory.path());
  {
    const tests::FileSizeLimit limit(50000); // 12 transfers and a half
    for (std::uint32_t update = 0; update < 20; ++update)
      take(dump, 0, update);
  }
  const std::string lines = index();
  EXPECT_GE(std::count(lines.begin(), lines.end(), '\n'), 1 + 12);
}

} // namespace
} // namespace popscope::outfeed
