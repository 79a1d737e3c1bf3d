#include "host/command.hpp"
#include "host/run/run_directory.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <deque>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>

namespace popscope::host {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string errorOf(const fs::path &logs, const std::string &run,
                    ExistingRun existing) {
  try {
    tests::ReportedLines reported;
    RunDirectory(logs, run, existing, reported.report);
  } catch (const BadInput &error) {
    return error.what();
  }
  return "no error";
}

class RunDirectoryTest : public ::testing::Test {
protected:
  RunDirectoryTest() {
    fs::create_directories(dir.path() / "run/train");
    fs::create_directories(dir.path() / "run/checkpoint");
    dir.file("run/train/events.out.tfevents.1.host", "");
    dir.file("run/popscope.json", "{}");
    dir.file("run/checkpoint/state", "");
  }
  const tests::TempDir dir;
  tests::ReportedLines reported;
};

TEST_F(RunDirectoryTest, IsMadeWithItsParents) {
  const RunDirectory run(dir.path() / "a/b", "c", ExistingRun::refuse,
                         reported.report);
  EXPECT_TRUE(fs::is_directory(dir.path() / "a/b/c"));
  EXPECT_EQ(run.path(), dir.path() / "a/b/c");
}

TEST_F(RunDirectoryTest, ExistingRunIsRefusedUnlessAsked) {
  EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::refuse),
              HasSubstr("run: exists"));
  EXPECT_EQ(errorOf(dir.path(), "run", ExistingRun::resume), "no error");
  EXPECT_TRUE(fs::exists(dir.path() / "run/popscope.json"));
  EXPECT_EQ(errorOf(dir.path(), "run", ExistingRun::clean), "no error");
  EXPECT_TRUE(fs::is_empty(dir.path() / "run"));
}

TEST_F(RunDirectoryTest, NothingIsDeletedIfAnythingElseIsThere) {
  dir.file("run/train/thesis.tex", "years of work");
  EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::clean),
              HasSubstr("thesis.tex is not part of a PopScope or TensorBoard"));
  EXPECT_TRUE(fs::exists(dir.path() / "run/train/thesis.tex"));
  EXPECT_TRUE(fs::exists(dir.path() / "run/popscope.json"));
}

TEST_F(RunDirectoryTest, FilesThatAKillLeftAsideAreCleaned) {
  dir.file("run/popscope.json.new", "{");
  dir.file("run/log.csv.new-a1b2c3", "epoch");
  EXPECT_EQ(errorOf(dir.path(), "run", ExistingRun::clean), "no error");
  EXPECT_TRUE(fs::is_empty(dir.path() / "run"));
}

TEST_F(RunDirectoryTest, LinksAreNotFollowed) {
  const tests::TempDir elsewhere;
  elsewhere.file("events.out.tfevents.1.host", "");
  fs::create_directory_symlink(elsewhere.path(), dir.path() / "run/link");
  EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::clean),
              HasSubstr("link is not part"));
  EXPECT_TRUE(fs::exists(elsewhere.path() / "events.out.tfevents.1.host"));
}

TEST_F(RunDirectoryTest, RunStaysInsideTheLogDirectory) {
  for (const char *name : {"", "..", ".", "a/../..", "/tmp"})
    EXPECT_THAT(errorOf(dir.path(), name, ExistingRun::clean),
                HasSubstr("not a name within"))
        << name;
}

TEST_F(RunDirectoryTest, NothingToResumeIsAnError) {
  EXPECT_THAT(errorOf(dir.path(), "other", ExistingRun::resume),
              HasSubstr("no run to resume"));
  EXPECT_FALSE(fs::exists(dir.path() / "other"));
}

TEST_F(RunDirectoryTest, PlaceThatCannotBeMadeIsAnError) {
  EXPECT_THAT(
      errorOf(dir.path() / "run/popscope.json", "x", ExistingRun::refuse),
      HasSubstr("Not a directory"));
  EXPECT_THAT(errorOf(dir.path(), "run/popscope.json", ExistingRun::clean),
              HasSubstr("is not a directory"));
}

TEST_F(RunDirectoryTest, ResumedWriterHidesEpochsThatComeAgain) {
  RunDirectory run(dir.path(), "run", ExistingRun::resume, reported.report);
  run.setFirstEpoch(3);
  run.writer("lr");
  bool restarted = false;
  for (const auto &event : tests::readRun(dir.path() / "run/lr"))
    restarted = restarted || (event.has_session_log() && event.step() == 3);
  EXPECT_TRUE(restarted);
}

TEST(UnnamedRun, SortsByTime) {
  const tests::TempDir dir;
  EXPECT_THAT(UnnamedRun(dir.path(), "cnn").name(),
              ::testing::MatchesRegex("cnn-[0-9]{8}-[0-9]{6}"));
}

TEST(UnnamedRun, OfTheSameSecondHaveTheirOwnNames) {
  const tests::TempDir dir;
  std::deque<UnnamedRun> runs;
  std::set<std::string> names;
  for (int i = 0; i < 4; ++i)
    names.insert(runs.emplace_back(dir.path(), "cnn").name());
  EXPECT_EQ(names.size(), 4u);
  tests::ReportedLines reported;
  for (const std::string &name : names)
    RunDirectory(dir.path(), name, ExistingRun::refuse, reported.report);
}

TEST(UnnamedRun, LeavesNothingIfNothingCameOfIt) {
  const tests::TempDir dir;
  const fs::path logs = dir.path() / "a/logs";
  { const UnnamedRun run(logs, "cnn"); }
  EXPECT_FALSE(fs::exists(logs));
  const std::string name = [&] {
    const UnnamedRun run(logs, "cnn");
    std::ofstream(logs / run.name() / "log.csv") << "epoch\n";
    return run.name();
  }();
  EXPECT_TRUE(fs::exists(logs / name / "log.csv"));
}

} // namespace
} // namespace popscope::host
