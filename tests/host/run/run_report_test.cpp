#include "host/run/run_report.hpp"
#include "tests/support/reported_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace popscope::host {
namespace {

using summary::Step;
using summary::WriteReport;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(RunReport, IsWholeUntilSomethingIsLost) {
  tests::ReportedLines reported;
  reported.report.update({"log.csv", ""}, StepsAre::epochs);
  EXPECT_TRUE(reported.report.isWhole());
  EXPECT_EQ(reported.report.text(), "");
  EXPECT_THAT(reported.lines, IsEmpty());
}

TEST(RunReport, SaysTheFirstLossAtOnceAndAllInTheLastLine) {
  tests::ReportedLines reported;
  RunReport &report = reported.report;
  report.update({"train", "disk full", 1, 40, Step(7)}, StepsAre::epochs);
  report.update({"dump/a.npy", "disk full", 1, 4000, Step(70)},
                StepsAre::updates);
  report.update({"train", "disk full", 1200, 48000, Step(7)}, StepsAre::epochs);
  report.update({"popscope.json", "Is a directory"}, StepsAre::epochs);
  EXPECT_THAT(reported.lines,
              ElementsAre("train: disk full", "dump/a.npy: disk full",
                          "popscope.json: Is a directory"));
  EXPECT_EQ(report.text(),
            "not everything was written: train: disk full (lost 1,200 "
            "records, 48,000 bytes, from epoch 7); dump/a.npy: disk full "
            "(lost 1 record, 4,000 bytes, from update 70); popscope.json: Is a "
            "directory");
}

TEST(RunReport, AWriterThatMakesUpForItsLossIsWhole) {
  tests::ReportedLines reported;
  reported.report.update({"checkpoint", "disk full"}, StepsAre::epochs);
  EXPECT_FALSE(reported.report.isWhole());
  reported.report.update({"checkpoint", ""}, StepsAre::epochs);
  EXPECT_TRUE(reported.report.isWhole());
}

TEST(RunReport, AsksToStopOnlyIfThatIsThePolicy) {
  for (const OnSummaryError policy :
       {OnSummaryError::goOn, OnSummaryError::stop}) {
    tests::ReportedLines reported(policy);
    EXPECT_FALSE(reported.report.asksToStop());
    reported.report.update({"train", "disk full"}, StepsAre::epochs);
    EXPECT_EQ(reported.report.asksToStop(), policy == OnSummaryError::stop);
  }
}

TEST(RunReport, CountsEpochsFromOneWhereverAWriterBegins) {
  for (const std::int64_t first : {0, 1}) {
    tests::ReportedLines reported;
    reported.report.ofEpochs(first)({"test", "disk full", 1, 9, Step(4)});
    EXPECT_THAT(
        reported.report.text(),
        ::testing::EndsWith("from epoch " + std::to_string(5 - first) + ")"));
  }
}

TEST(RunReport, PrintedTextThatNobodyTakesIsLost) {
  tests::ReportedLines reported;
  std::ostringstream out;
  reported.report.checkStandardOutput(out);
  EXPECT_TRUE(reported.report.isWhole());
  out.setstate(std::ios::badbit);
  reported.report.checkStandardOutput(out);
  reported.report.checkStandardOutput(out);
  ASSERT_EQ(reported.lines.size(), 1u);
  EXPECT_THAT(reported.lines[0], ::testing::StartsWith("standard output: "));
}

TEST(RunReport, TakesReportsFromAnyThread) {
  tests::ReportedLines reported;
  std::vector<std::thread> threads;
  for (unsigned writer = 0; writer < 4; ++writer)
    threads.emplace_back([&reported, writer] {
      const auto tell = reported.report.ofUpdates();
      for (std::uint64_t lost = 1; lost <= 100; ++lost)
        tell({std::to_string(writer), "disk full", lost, 0, Step(0)});
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(reported.lines.size(), 4u);
  for (unsigned writer = 0; writer < 4; ++writer)
    EXPECT_THAT(reported.report.text(),
                ::testing::HasSubstr(std::to_string(writer) +
                                     ": disk full (lost 100 records"));
}

TEST(RunReport, ReasonIsWhatTheSystemSays) {
  EXPECT_EQ(reasonOf(std::system_error(ENOSPC, std::generic_category(), "f")),
            "No space left on device");
  EXPECT_EQ(reasonOf(std::runtime_error("too large")), "too large");
}

} // namespace
} // namespace popscope::host
