#include "host/callbacks/csv_log.hpp"
#include "tests/host/callbacks/epoch_result.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::resultOf;

std::string contentOf(const std::filesystem::path &file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(CsvLog, HasALinePerEpoch) {
  const tests::TempDir dir;
  const auto file = dir.path() / "log.csv";
  tests::ReportedLines reported;
  EpochResult result = resultOf(0);
  {
    CsvLog log(file, Epoch(0), result.training, reported.report);
    log.epochEnd(result);
    result.epoch = Epoch(1);
    result.validation = {{"loss", 3.0}, {"accuracy", 0.25}};
    log.epochEnd(result);
  }
  const std::string twoEpochs =
      "epoch,learning_rate,loss,accuracy,val_loss,val_accuracy\n"
      "0,0.25,2,0.5,,\n"
      "1,0.25,2,0.5,3,0.25\n";
  EXPECT_EQ(contentOf(file), twoEpochs);
  result.learningRate = double(0.005f);
  {
    CsvLog log(dir.path() / "other.csv", Epoch(0), result.training,
               reported.report);
    log.epochEnd(result);
  }
  EXPECT_THAT(contentOf(dir.path() / "other.csv"), HasSubstr("\n1,0.005,"));
  result.learningRate = 0.25;
  // Resumed at epoch 1: that line is written again.
  {
    CsvLog log(file, Epoch(1), result.training, reported.report);
    log.epochEnd(result);
  }
  EXPECT_EQ(contentOf(file), twoEpochs);
}

TEST(CsvLog, ThatCannotBeWrittenIsReportedOnceAndCounted) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  {
    CsvLog log(dir.path() / "no/log.csv", Epoch(0), resultOf(0).training,
               reported.report);
    log.epochEnd(resultOf(0));
    log.epochEnd(resultOf(1));
  }
  const std::string file = (dir.path() / "no/log.csv").string();
  EXPECT_THAT(reported.lines,
              ElementsAre(file + ": cannot be opened: No such file or "
                                 "directory"));
  EXPECT_THAT(reported.report.text(),
              HasSubstr("(lost 2 records, 30 bytes, from epoch 1)"));
}

TEST(CsvLog, OnAFullDiskKeepsTheEpochsItHas) {
  const tests::TempDir dir;
  const auto file = dir.path() / "log.csv";
  tests::ReportedLines reported;
  CsvLog log(file, Epoch(0), resultOf(0).training, reported.report);
  log.epochEnd(resultOf(0));
  const std::string whole = contentOf(file);
  {
    const tests::FileSizeLimit limit(whole.size() + 5);
    log.epochEnd(resultOf(1));
  }
  log.epochEnd(resultOf(2));
  EXPECT_EQ(contentOf(file), whole);
  EXPECT_EQ(reported.report.text(),
            "not everything was written: " + file.string() +
                ": disk full (lost 2 records, 30 bytes, from epoch 2)");
}

TEST(CsvLog, ResumedOnAFullDiskKeepsTheEpochsItHas) {
  const tests::TempDir dir;
  const auto file = dir.path() / "log.csv";
  tests::ReportedLines reported;
  for (unsigned epoch = 0; epoch < 3; ++epoch)
    CsvLog(file, Epoch(epoch), resultOf(0).training, reported.report)
        .epochEnd(resultOf(epoch));
  const std::string whole = contentOf(file);
  ASSERT_TRUE(reported.report.isWhole());
  const tests::FileSizeLimit limit(10);
  CsvLog(file, Epoch(2), resultOf(0).training, reported.report)
      .epochEnd(resultOf(2));
  EXPECT_EQ(contentOf(file), whole);
  EXPECT_FALSE(reported.report.isWhole());
}

} // namespace
} // namespace popscope::host
