#include "host/command.hpp"
#include "host/run/home_directory.hpp"
#include "host/run/run_directory.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <pwd.h>
#include <set>
#include <string>
#include <unistd.h>

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
    fs::create_directories(dir.path() / "run/saved");
    dir.file("run/train/events.out.tfevents.1.host", "");
    dir.file("run/popscope.json", "{}");
    dir.file("run/tfdbg_events.1.host.metadata", "");
    dir.file("run/saved/state", "");
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
}

TEST_F(RunDirectoryTest, OldRunIsDeletedOnlyWhenTheNewOneBegins) {
  RunDirectory run(dir.path(), "run", ExistingRun::clean, reported.report);
  EXPECT_TRUE(fs::exists(dir.path() / "run/saved/state"));
  run.begin();
  EXPECT_TRUE(fs::is_empty(dir.path() / "run"));
}

TEST_F(RunDirectoryTest, ResumedRunKeepsEverything) {
  RunDirectory run(dir.path(), "run", ExistingRun::resume, reported.report);
  run.begin();
  EXPECT_TRUE(fs::exists(dir.path() / "run/saved/state"));
  EXPECT_TRUE(fs::exists(dir.path() / "run/popscope.json"));
  EXPECT_TRUE(fs::exists(dir.path() / "run/train/events.out.tfevents.1.host"));
}

TEST_F(RunDirectoryTest,
       CheckpointOfAnOlderVersionIsFoundAndMovedWhenItBegins) {
  fs::rename(dir.path() / "run/saved", dir.path() / "run/checkpoint");
  RunDirectory run(dir.path(), "run", ExistingRun::resume, reported.report);
  EXPECT_EQ(run.checkpoint(), dir.path() / "run/checkpoint");
  run.begin();
  EXPECT_EQ(run.checkpoint(), dir.path() / "run/saved");
  EXPECT_TRUE(fs::exists(dir.path() / "run/saved/state"));
  EXPECT_FALSE(fs::exists(dir.path() / "run/checkpoint"));
}

TEST_F(RunDirectoryTest, OldCheckpointWhoseReplacementWasKilledIsFound) {
  fs::rename(dir.path() / "run/saved", dir.path() / "run/checkpoint.old");
  RunDirectory run(dir.path(), "run", ExistingRun::resume, reported.report);
  EXPECT_EQ(run.checkpoint(), dir.path() / "run/checkpoint");
  run.begin();
  EXPECT_EQ(run.checkpoint(), dir.path() / "run/saved");
  EXPECT_TRUE(fs::exists(dir.path() / "run/saved.old/state"));
}

TEST_F(RunDirectoryTest, CleanKnowsEveryFileThatARunWrites) {
  for (const char *file :
       {"checkpoint/state", "saved.old/state", "saved/state.previous",
        "saved/state.new", "dump/loss.npy", "dump/loss.index.csv"}) {
    fs::create_directories((dir.path() / "run" / file).parent_path());
    dir.file(std::string("run/") + file, "");
  }
  for (const char *name :
       {"projector_config.pbtxt", "logits_tensors.tsv", "logits_metadata.tsv",
        "logits_sprite.png", "probabilities_sprite.png",
        "events.out.tfevents.2.host.end"})
    dir.file(std::string("run/") + name, "");
  RunDirectory(dir.path(), "run", ExistingRun::clean, reported.report).begin();
  EXPECT_TRUE(fs::is_empty(dir.path() / "run"));
}

TEST_F(RunDirectoryTest, HowARunEndedIsForgottenWhenItGoesOn) {
  {
    RunDirectory run(dir.path(), "run", ExistingRun::resume, reported.report);
    run.begin();
    run.log(summary::Step(0))->scalar(summary::Tag("x"), summary::Step(0), 1);
    run.endLog()->sessionEnd({summary::SessionStatus::unknown});
  }
  const std::string end = summary::sessionEndTag().name();
  EXPECT_EQ(tests::valuesOf(tests::readRun(dir.path() / "run"), end).size(),
            1u);
  RunDirectory(dir.path(), "run", ExistingRun::resume, reported.report).begin();
  const auto events = tests::readRun(dir.path() / "run");
  EXPECT_EQ(tests::valuesOf(events, end).size(), 0u);
  EXPECT_EQ(tests::valuesOf(events, "x").size(), 1u);
}

TEST_F(RunDirectoryTest, ResumedLogHidesUpdatesThatComeAgain) {
  RunDirectory run(dir.path(), "run", ExistingRun::resume, reported.report);
  run.log(summary::Step(17));
  bool restarted = false;
  for (const auto &event : tests::readRun(dir.path() / "run"))
    restarted = restarted || (event.has_session_log() && event.step() == 17);
  EXPECT_TRUE(restarted);
}

TEST_F(RunDirectoryTest, WhoAsksForTheSameRunGetsTheSameFile) {
  const RunDirectory run(dir.path(), "new", ExistingRun::refuse,
                         reported.report);
  const auto one = run.writer("test", 1);
  EXPECT_EQ(run.writer("test", 1), one);
  EXPECT_NE(run.writer("train"), one);
}

TEST_F(RunDirectoryTest, FlushReachesEveryWriter) {
  const RunDirectory run(dir.path(), "new", ExistingRun::refuse,
                         reported.report);
  const auto log = run.log(summary::Step(0)), lr = run.writer("lr"),
             recorder = run.recorderLog(summary::Step(0));
  (void)run.writer("gone");
  for (const auto &writer : {log, lr, recorder})
    writer->scalar(summary::Tag("x"), summary::Step(0), 1);
  run.flush();
  for (const char *name : {"", "lr", "recorder"})
    EXPECT_EQ(tests::stepsOf(tests::readRun(run.path() / name), "x").size(), 1u)
        << name;
}

TEST_F(RunDirectoryTest, LeavesNoDirectoryIfNothingCameOfIt) {
  fs::create_directory(dir.path() / "empty");
  for (const char *name : {"new/run", "empty"}) {
    const RunDirectory run(dir.path() / "logs", name, ExistingRun::refuse,
                           reported.report);
    EXPECT_TRUE(fs::is_directory(run.path()));
  }
  EXPECT_FALSE(fs::exists(dir.path() / "logs"));
  {
    const RunDirectory run(dir.path(), "empty", ExistingRun::refuse,
                           reported.report);
  }
  EXPECT_TRUE(fs::exists(dir.path() / "empty")) << "it was there before";
}

TEST_F(RunDirectoryTest, NothingIsDeletedIfAnythingElseIsThere) {
  dir.file("run/train/thesis.tex", "years of work");
  EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::clean),
              HasSubstr("thesis.tex is not part of a PopScope or TensorBoard"));
  EXPECT_TRUE(fs::exists(dir.path() / "run/train/thesis.tex"));
  EXPECT_TRUE(fs::exists(dir.path() / "run/popscope.json"));
}

// By names that begin or look like those of a run, or with foreign content.
TEST_F(RunDirectoryTest, NoFileOfSomebodyElseIsEverDeleted) {
  const std::string text = "years of work, and so on";
  for (const char *file :
       {"checkpoints/best_model.pt", "checkpoint/best_model.pt",
        "saved/state.backup", "saved/deeper/state", "dumpster/notes.npy",
        "dump/mine.npy", "dump/mine.index.csv", "dump/mine.txt",
        "my-tfevents-parser.py", "tfevents", "events.out.tfevents.repaired",
        "events.out.tfevents.1700000000.notes", "log.csv.newest",
        "tfdbg_events.notes.metadata", "tfdbg_events.1700000000.me.metadata",
        "train/log.csv", "log.csv.new-"}) {
    const fs::path path = dir.path() / "run" / file;
    const bool hadFolder = fs::exists(path.parent_path());
    fs::create_directories(path.parent_path());
    dir.file(std::string("run/") + file, text);
    EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::clean),
                HasSubstr(std::string(file) + " is not part of a PopScope"))
        << file;
    EXPECT_TRUE(fs::exists(dir.path() / "run/popscope.json"));
    fs::remove(path);
    if (!hadFolder)
      fs::remove(path.parent_path());
  }
  // One that comes after the check stays, alone.
  RunDirectory run(dir.path(), "run", ExistingRun::clean, reported.report);
  dir.file("run/train/notes", text);
  run.begin();
  EXPECT_TRUE(fs::exists(dir.path() / "run/train/notes"));
  EXPECT_FALSE(fs::exists(dir.path() / "run/saved"));
}

TEST_F(RunDirectoryTest, ALinkToARunIsNotCleaned) {
  fs::create_directory_symlink(dir.path() / "run", dir.path() / "link");
  EXPECT_THAT(errorOf(dir.path(), "link", ExistingRun::clean),
              HasSubstr("it is a link"));
}

TEST_F(RunDirectoryTest, ARunReachedThroughALinkIsNotCleaned) {
  const tests::TempDir elsewhere;
  fs::create_directory(elsewhere.path() / "night");
  elsewhere.file("night/popscope.json", "{}");
  fs::create_directory_symlink(elsewhere.path(), dir.path() / "link");
  EXPECT_THAT(errorOf(dir.path(), "link/night", ExistingRun::clean),
              HasSubstr("link: not cleaned: it is a link"));
}

TEST_F(RunDirectoryTest, HomeAndWhatIsAboveItAreNotCleaned) {
  const char *const variable = std::getenv("HOME");
  const std::string home = variable ? variable : "";
  for (const char *of : {"run", "run/train"}) {
    setenv("HOME", (dir.path() / of).c_str(), 1);
    EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::clean),
                HasSubstr("it is a home directory, or holds one"));
  }
  setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(errorOf(dir.path(), "run", ExistingRun::clean), "no error");
  const std::string user = getpwuid(geteuid())->pw_dir;
  EXPECT_TRUE(holdsHome(user));
  EXPECT_TRUE(holdsHome("/"));
  EXPECT_FALSE(holdsHome(dir.path()));
}

// Keras' CSVLogger writes such a file beside the event files of TensorBoard.
TEST_F(RunDirectoryTest, ALogThatPopscopeDidNotBeginIsNotCleaned) {
  fs::create_directories(dir.path() / "keras/train");
  dir.file("keras/train/events.out.tfevents.1.host", "");
  dir.file("keras/log.csv", "epoch,loss\n");
  EXPECT_THAT(errorOf(dir.path(), "keras", ExistingRun::clean),
              HasSubstr("log.csv is not part of a PopScope"));
  fs::remove(dir.path() / "keras/log.csv");
  EXPECT_EQ(errorOf(dir.path(), "keras", ExistingRun::clean), "no error");
}

TEST_F(RunDirectoryTest, AFolderThatWasEmptyBeforeStays) {
  fs::create_directories(dir.path() / "run/thesis");
  fs::create_directories(dir.path() / "run/a/b");
  dir.file("run/a/b/events.out.tfevents.1.host", "");
  RunDirectory(dir.path(), "run", ExistingRun::clean, reported.report).begin();
  EXPECT_TRUE(fs::exists(dir.path() / "run/thesis"));
  EXPECT_FALSE(fs::exists(dir.path() / "run/a"));
  EXPECT_FALSE(fs::exists(dir.path() / "run/saved"));
}

TEST_F(RunDirectoryTest, ARunThatIsBeingWrittenIsNobodyElses) {
  std::optional<RunDirectory> live;
  live.emplace(dir.path(), "run", ExistingRun::resume, reported.report);
  for (const ExistingRun existing : {ExistingRun::clean, ExistingRun::resume})
    EXPECT_THAT(errorOf(dir.path(), "run", existing),
                HasSubstr("another popscope is writing this run"));
  live.reset();
  EXPECT_EQ(errorOf(dir.path(), "run", ExistingRun::resume), "no error");
  live.emplace(dir.path(), "fresh", ExistingRun::refuse, reported.report);
  EXPECT_THAT(errorOf(dir.path(), "fresh", ExistingRun::refuse),
              HasSubstr("another popscope is writing this run"));
}

TEST_F(RunDirectoryTest, ARunWithAnotherInItThatIsBeingWrittenIsNotCleaned) {
  const RunDirectory live(dir.path(), "run/inner", ExistingRun::refuse,
                          reported.report);
  EXPECT_THAT(errorOf(dir.path(), "run", ExistingRun::clean),
              HasSubstr("run/inner: another popscope is writing"));
}

TEST_F(RunDirectoryTest, APartOfARunThatIsBeingWrittenIsNotCleaned) {
  const RunDirectory live(dir.path(), "run", ExistingRun::resume,
                          reported.report);
  for (const std::string &error :
       {errorOf(dir.path(), "run/train", ExistingRun::clean),
        errorOf(dir.path() / "run", "train", ExistingRun::clean)})
    EXPECT_THAT(error, HasSubstr("run: another popscope is writing this run"));
}

TEST_F(RunDirectoryTest, FilesThatAKillLeftAsideAreCleaned) {
  dir.file("run/popscope.json.new", "{");
  dir.file("run/log.csv.new-a1b2c3", "epoch");
  RunDirectory(dir.path(), "run", ExistingRun::clean, reported.report).begin();
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
  run.setFirstEpoch(Epoch(3));
  run.writer("lr");
  bool restarted = false;
  for (const auto &event : tests::readRun(dir.path() / "run/lr"))
    restarted = restarted || (event.has_session_log() && event.step() == 3);
  EXPECT_TRUE(restarted);
}

TEST(UnnamedRun, SortsByTime) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  EXPECT_THAT(
      RunDirectory(dir.path(), UnnamedRun{"cnn"}, reported.report).name(),
      ::testing::MatchesRegex("cnn-[0-9]{8}-[0-9]{6}"));
}

TEST(UnnamedRun, OfTheSameSecondHaveTheirOwnNames) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  std::deque<RunDirectory> runs;
  std::set<fs::path> paths;
  for (int i = 0; i < 4; ++i)
    paths.insert(
        runs.emplace_back(dir.path(), UnnamedRun{"cnn"}, reported.report)
            .path());
  EXPECT_EQ(paths.size(), 4u);
  for (const fs::path &path : paths)
    EXPECT_TRUE(fs::is_directory(path));
}

TEST(UnnamedRun, LeavesNothingIfNothingCameOfIt) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  const fs::path logs = dir.path() / "a/logs";
  { const RunDirectory run(logs, UnnamedRun{"cnn"}, reported.report); }
  EXPECT_FALSE(fs::exists(dir.path() / "a"));
  const fs::path file = [&] {
    const RunDirectory run(logs, UnnamedRun{"cnn"}, reported.report);
    std::ofstream(run.path() / "log.csv") << "epoch\n";
    return run.path() / "log.csv";
  }();
  EXPECT_TRUE(fs::exists(file));
}

} // namespace
} // namespace popscope::host
