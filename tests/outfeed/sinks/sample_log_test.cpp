#include "outfeed/sinks/sample_log.hpp"
#include "summary/records/file_source.hpp"
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
