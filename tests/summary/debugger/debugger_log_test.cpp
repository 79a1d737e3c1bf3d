#include "summary/debugger/debugger_log.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/read_debug_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::summary {
namespace {

namespace fs = std::filesystem;
using namespace debugger_files;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class DebuggerLogTest : public ::testing::Test {
protected:
  DebuggerLogTest() {
    program.name = "update";
    program.source = {"x = input()"};
    program.ops.resize(2);
    program.ops[0].name = "x";
    program.ops[1].name = "y";
    options.clock = clock;
  }
  void write(DebuggerLog &log, std::int64_t step) {
    const HealthCounts health{8, 0, 0, 1, {}};
    log.trace(0, Step(step), health);
    log.trace(1, Step(step), health);
    log.execution(Step(step), health);
  }
  fs::path file(const char *ending) const {
    return tests::debuggerFile(path, ending);
  }
  std::vector<proto::DebugEvent> events(const char *ending) const {
    return tests::readDebugEvents(path, ending);
  }
  std::vector<std::int64_t> steps(const char *ending) const {
    std::vector<std::int64_t> found;
    for (const proto::DebugEvent &event : events(ending))
      found.push_back(event.step());
    return found;
  }

  const tests::TempDir directory;
  const fs::path path = directory.path() / "run";
  tests::FakeClock clock{1'700'000'000};
  DebuggedProgram program;
  DebuggerLogOptions options;
};

TEST_F(DebuggerLogTest, AllSixFilesAreThereBeforeTheFirstExecution) {
  const DebuggerLog log(path, program, options);
  for (const char *ending :
       {kMetadata, kSourceFiles, kStackFrames, kGraphs, kTraces, kExecutions})
    EXPECT_TRUE(fs::exists(file(ending))) << ending;
  EXPECT_EQ(events(kMetadata).size(), 1u);
  EXPECT_EQ(events(kSourceFiles).size(), 1u);
  EXPECT_EQ(events(kStackFrames).size(), 1u);
  EXPECT_EQ(events(kGraphs).size(), 4u); // a device, the graph, two ops
  EXPECT_THAT(file(kMetadata).filename().string(),
              testing::StartsWith("tfdbg_events.1700000000."));
}

TEST_F(DebuggerLogTest, AnExecutionASecondAfterTheLastFlushFlushes) {
  DebuggerLog log(path, program, options);
  write(log, 0);
  EXPECT_THAT(steps(kTraces), IsEmpty());
  clock.advance(1);
  write(log, 1);
  EXPECT_THAT(steps(kTraces), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(steps(kExecutions), ElementsAre(0, 1));
}

TEST_F(DebuggerLogTest, TimesDoNotGoBackWhenTheClockDoes) {
  DebuggerLog log(path, program, options);
  clock.advance(5);
  write(log, 0);
  clock.advance(-10);
  write(log, 1);
  log.flush();
  for (const char *ending : {kTraces, kExecutions})
    for (const proto::DebugEvent &event : events(ending))
      EXPECT_EQ(event.wall_time(), 1'700'000'005);
}

TEST_F(DebuggerLogTest, AResumedLogHasTheStepsBeforeAndNoneTwice) {
  {
    DebuggerLog log(path, program, options);
    for (std::int64_t step = 0; step < 5; ++step)
      write(log, step);
  }
  std::ofstream(file(kTraces), std::ios::app) << "torn";
  options.resumeAt = Step(3);
  DebuggerLog log(path, program, options);
  EXPECT_TRUE(log.report().isWhole()) << log.report().error;
  write(log, 3);
  log.flush();
  EXPECT_THAT(steps(kTraces), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
  EXPECT_THAT(steps(kExecutions), ElementsAre(0, 1, 2, 3));
}

TEST_F(DebuggerLogTest, AnotherStartReplacesTheFilesOfTheOneBefore) {
  {
    DebuggerLog log(path, program, options);
    write(log, 0);
  }
  DebuggerLog log(path, program, options);
  EXPECT_THAT(steps(kTraces), IsEmpty());
  const auto files = std::distance(fs::directory_iterator(path), {});
  EXPECT_EQ(files, 6);
}

TEST_F(DebuggerLogTest, TheFilesOfAnotherProgramStayAndAreNamed) {
  fs::create_directories(path);
  std::ofstream(path / "tfdbg_events.1.host.metadata") << "of TensorFlow";
  DebuggerLog log(path, program, options);
  write(log, 4);
  EXPECT_THAT(log.report().error,
              HasSubstr("tfdbg_events.1.host.metadata is of another one"));
  EXPECT_EQ(log.report().lostRecords, 3u);
  EXPECT_EQ(log.report().firstLost->value(), 4);
  EXPECT_TRUE(fs::exists(path / "tfdbg_events.1.host.metadata"));
}

TEST_F(DebuggerLogTest, ADirectoryThatCannotBeMadeIsReportedOnce) {
  std::ofstream(path.string()) << "a file";
  std::vector<WriteReport> told;
  options.onFailure = [&](const WriteReport &report) {
    told.push_back(report);
  };
  DebuggerLog log(path, program, options);
  write(log, 0);
  log.flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].what, path.string());
  EXPECT_THAT(told[0].error, HasSubstr("cannot be created"));
  EXPECT_EQ(log.report().lostRecords, 3u);
}

TEST_F(DebuggerLogTest, OnAFullDiskCountsWhatIsLostAndDoesNotThrow) {
  std::vector<WriteReport> told;
  options.onFailure = [&](const WriteReport &report) {
    told.push_back(report);
  };
  DebuggerLog log(path, program, options);
  write(log, 0);
  log.flush();
  {
    const tests::FileSizeLimit limit(fs::file_size(file(kTraces)) + 10);
    write(log, 1);
    log.flush();
  }
  write(log, 2);
  log.flush();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].error, "disk full");
  EXPECT_THAT(steps(kTraces), ElementsAre(0, 0));
  EXPECT_EQ(log.report().lostRecords, 6u);
  EXPECT_EQ(log.report().firstLost->value(), 1);
}

} // namespace
} // namespace popscope::summary
