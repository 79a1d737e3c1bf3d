#include "outfeed/sinks/sample_log.hpp"
#include "summary/records/file_source.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace popscope::outfeed {
namespace {

using summary::WriteReport;
using ::testing::ElementsAre;

class SampleLogTest : public ::testing::Test {
protected:
  SampleLogTest() {
    tap.tensor.name = "dense/kernel:0";
    tap.tensor.dtype = "float";
    tap.tensor.shape = {2};
  }
  void take(SampleLog &log, std::uint32_t update) const {
    TensorSample sample;
    sample.payload = Payload::identity;
    sample.stats.count = 2;
    sample.hash[0] = update;
    log.take(tap, Update(update), sample);
  }
  std::vector<std::uint32_t> updates() const {
    summary::FileSource bytes(file);
    SampleLogReader reader(bytes);
    std::vector<std::uint32_t> found;
    while (reader.next()) {
      EXPECT_TRUE(reader.digest(0));
      found.push_back(reader.update().value());
    }
    return found;
  }
  std::string content() const {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const tests::TempDir directory;
  const std::filesystem::path file = directory.path() / "samples.log";
  Tap tap;
};

TEST_F(SampleLogTest, IsNotMadeWithoutASample) {
  {
    SampleLog log(file);
    log.flush();
    log.close({});
  }
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(SampleLogTest, ReplacesThatOfAnEarlierStart) {
  for (int start = 0; start < 2; ++start) {
    SampleLog log(file);
    take(log, 3);
    log.close({});
  }
  EXPECT_THAT(updates(), ElementsAre(3));
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(directory.path()), {}),
      1);
}

TEST_F(SampleLogTest, GoesOnAtTheUpdateItIsResumedAt) {
  {
    SampleLog log(file);
    for (std::uint32_t update = 0; update < 5; ++update)
      take(log, update);
    log.close({});
  }
  const std::string whole = content();
  std::ofstream(file, std::ios::binary | std::ios::app) << "torn";
  SampleLog log(file);
  log.resume(Update(3));
  take(log, 3);
  take(log, 4);
  log.close({});
  EXPECT_EQ(content(), whole);
}

TEST_F(SampleLogTest, AKillAfterTheFirstSampleOfAResumedStartKeepsTheEarlier) {
  {
    SampleLog log(file);
    for (std::uint32_t update = 0; update < 5; ++update)
      take(log, update);
    log.close({});
  }
  SampleLog log(file);
  log.resume(Update(3));
  take(log, 3);
  EXPECT_THAT(updates(), ElementsAre(0, 1, 2)) << "nothing is flushed yet";
}

TEST_F(SampleLogTest, AnUpdateMayBeFlushedInParts) {
  SampleLog log(file);
  Tap other = tap;
  other.tensor.name = "dense/bias:0";
  take(log, 1);
  log.flush();
  TensorSample sample;
  log.take(other, Update(1), sample);
  log.close({});
  summary::FileSource bytes(file);
  SampleLogReader reader(bytes);
  ASSERT_TRUE(reader.next());
  EXPECT_TRUE(reader.digest(0) && reader.digest(1));
  EXPECT_FALSE(reader.next());
}

TEST_F(SampleLogTest, OnAFullDiskCountsWhatIsLostAndDoesNotThrow) {
  std::vector<WriteReport> told;
  SampleLog log(file, [&](const WriteReport &r) { told.push_back(r); });
  take(log, 1);
  log.flush();
  EXPECT_TRUE(told.empty());
  {
    const tests::FileSizeLimit limit(content().size() + 10);
    take(log, 2);
    log.flush();
    take(log, 3);
    log.close({});
  }
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].what, file.string());
  EXPECT_EQ(told[0].error, "disk full");
  const WriteReport report = log.reports().front();
  EXPECT_EQ(report.lostRecords, 2u);
  EXPECT_EQ(report.firstLost->value(), 2);
  EXPECT_THAT(updates(), ElementsAre(1));
}

TEST_F(SampleLogTest, GoesOnWhenTheDiskHasRoomAlsoWithNewTensors) {
  tests::FakeClock clock(100);
  SampleLog log(file, {}, 1, clock);
  Tap other = tap;
  other.tensor.name = "dense/bias:0";
  take(log, 1);
  log.flush();
  {
    const tests::FileSizeLimit limit(content().size() + 10);
    take(log, 2);
    log.take(other, Update(2), {});
    log.flush();
    EXPECT_EQ(log.reports().front().lostRecords, 2u);
  }
  clock.advance(1);
  take(log, 3);
  log.take(other, Update(3), {});
  log.close({});
  summary::FileSource bytes(file);
  SampleLogReader reader(bytes);
  ASSERT_TRUE(reader.next());
  for (const std::uint32_t update : {2u, 3u}) {
    ASSERT_TRUE(reader.next());
    EXPECT_EQ(reader.update().value(), update);
    EXPECT_TRUE(reader.digest(0) && reader.digest(1));
  }
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.flaw(), "");
  EXPECT_EQ(log.reports().front().lostRecords, 0u);
  EXPECT_EQ(log.reports().front().error, "disk full; writing went on later");
}

TEST_F(SampleLogTest, AFileThatWasRemovedBeginsAnewAndNamesItsTensors) {
  tests::FakeClock clock(100);
  SampleLog log(file, {}, 1, clock);
  take(log, 1);
  log.flush();
  std::filesystem::remove(file);
  take(log, 2);
  log.flush();
  clock.advance(1);
  take(log, 3);
  log.close({});
  EXPECT_THAT(updates(), ElementsAre(3));
  EXPECT_EQ(log.reports().front().lostRecords, 2u);
  EXPECT_EQ(log.reports().front().firstLost->value(), 1);
}

TEST_F(SampleLogTest, WhenMoreThanFitsIsLostTheRestCanBeRead) {
  tests::FakeClock clock(100);
  std::vector<Tap> taps(2000, tap);
  SampleLog log(file, {}, 1, clock);
  {
    const tests::FileSizeLimit limit(100);
    for (std::size_t i = 0; i < taps.size(); ++i) {
      taps[i].tensor.name = "layer_" + std::to_string(i);
      log.take(taps[i], Update(1), {});
    }
    log.flush();
  }
  const std::uint64_t lost = log.reports().front().lostRecords;
  EXPECT_EQ(lost, taps.size()) << "as long as the disk is full";
  clock.advance(1);
  for (const Tap &other : taps)
    log.take(other, Update(2), {});
  log.close({});
  summary::FileSource bytes(file);
  SampleLogReader reader(bytes);
  std::uint64_t found = 0;
  std::size_t atLast = 0;
  while (reader.next()) {
    atLast = 0;
    for (std::size_t tensor = 0; tensor < reader.tensors().size(); ++tensor)
      atLast += reader.digest(tensor) ? 1 : 0;
    found += atLast;
  }
  EXPECT_EQ(reader.flaw(), "");
  EXPECT_EQ(atLast, taps.size());
  EXPECT_EQ(found + log.reports().front().lostRecords, 2 * taps.size());
}

TEST_F(SampleLogTest, ThatCannotBeMadeIsReportedOnce) {
  std::vector<WriteReport> told;
  directory.file("taken", "");
  SampleLog log(directory.path() / "taken" / "samples.log",
                [&](const WriteReport &r) { told.push_back(r); });
  take(log, 1);
  take(log, 2);
  log.close({});
  EXPECT_EQ(told.size(), 1u);
  EXPECT_EQ(log.reports().front().lostRecords, 2u);
}

} // namespace
} // namespace popscope::outfeed
