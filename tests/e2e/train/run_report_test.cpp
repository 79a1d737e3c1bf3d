// What popscope train does when it cannot write.
#include "tests/support/command.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace popscope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string contentOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string lastLineOf(const std::string &output) {
  const std::size_t end = output.find_last_not_of('\n');
  const std::size_t before = output.rfind('\n', end);
  return output.substr(before + 1, end - before);
}

class RunReport : public ::testing::Test {
protected:
  std::string command(const std::string &options) const {
    return POPSCOPE_COMMAND " train --device model --tiles 8 --logdir " +
           logs.path().string() + " --preset mlp --steps-per-epoch 8 " +
           "--data " + data + " --run r " + options;
  }
  // One epoch, so that things can be put in the way of the next.
  void trainOneEpoch() const {
    const auto result = tests::runCommand(command("--epochs 1"));
    ASSERT_EQ(result.exitCode, 0) << result.output;
  }
  fs::path run(const std::string &name = "") const {
    return logs.path() / "r" / name;
  }
  // A file where a directory should be, or a directory where a file should.
  void block(const std::string &name) const {
    const bool isDirectory = fs::is_directory(run(name));
    fs::remove_all(run(name));
    if (isDirectory)
      logs.file("r/" + name, "in the way");
    else
      fs::create_directories(run(name) / "in the way");
  }
  // The path of a file with the problem at once and in the last line.
  static void expectSaidTwice(const std::string &output, const fs::path &what) {
    const std::string start = what.string() + ": ";
    EXPECT_THAT(output, HasSubstr("popscope: " + start));
    EXPECT_THAT(lastLineOf(output),
                StartsWith("popscope: not everything was written: "));
    EXPECT_THAT(lastLineOf(output), HasSubstr(start));
  }

  const tests::TempDir logs;
  std::string data = POPSCOPE_DATA "/mnist";
};

TEST_F(RunReport, AnyFileThatCannotBeWrittenIsSaidTwiceAndSparesTheOthers) {
  trainOneEpoch();
  const fs::path backup = logs.path() / "backup";
  fs::copy(run(), backup, fs::copy_options::recursive);
  for (const char *name : {"train", "log.csv", "popscope.json"}) {
    fs::remove_all(run());
    fs::copy(backup, run(), fs::copy_options::recursive);
    block(name);
    const auto result =
        tests::runCommand(command("--epochs 3 --resume --quiet"));
    EXPECT_EQ(result.exitCode, 1) << name << "\n" << result.output;
    expectSaidTwice(result.output, run(name));
    if (name != std::string("log.csv")) {
      EXPECT_THAT(contentOf(run("log.csv")), HasSubstr("\n2,")) << name;
    }
    if (name != std::string("train")) {
      EXPECT_THAT(tests::stepsOf(tests::readRun(run("train")), "epoch_loss"),
                  ElementsAre(0, 1, 2))
          << name;
    }
    EXPECT_FALSE(contentOf(run("saved/state")).empty());
    const auto again = tests::runCommand(command("--epochs 3 --resume"));
    EXPECT_THAT(again.output, HasSubstr("nothing is left to train")) << name;
  }
}

TEST_F(RunReport, SaysHowMuchIsLostAndFromWhere) {
  trainOneEpoch();
  block("train");
  block("log.csv");
  const auto result = tests::runCommand(command("--epochs 3 --resume"));
  EXPECT_EQ(result.exitCode, 1);
  // Of each epoch loss, accuracy and learning rate; and where it resumes.
  EXPECT_THAT(lastLineOf(result.output),
              ::testing::ContainsRegex(
                  "r/train: cannot be created: Not a directory "
                  "\\(lost [0-9]+ records, [0-9,]+ bytes, from epoch 2\\)"));
  EXPECT_THAT(lastLineOf(result.output),
              ::testing::ContainsRegex("r/log.csv: [^(]*Is a directory "
                                       "\\(lost 2 records, [0-9]+ bytes, "
                                       "from epoch 2\\)"));
  EXPECT_THAT(result.output, HasSubstr("\nTo see it: "))
      << "the training was completed";
}

TEST_F(RunReport, StopEndsAfterTheExecutionAndKeepsACheckpoint) {
  trainOneEpoch();
  block("train");
  const std::string stop = "--epochs 1000000 --resume --on-summary-error stop";
  const auto result = tests::runCommand(command(stop));
  EXPECT_EQ(result.exitCode, 1) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("Not a directory; stopping, as --on-summary-error "
                        "stop asks\n"));
  EXPECT_THAT(result.output,
              HasSubstr("\nstopped after epoch 1 of 1000000. To go on:\n"));
  expectSaidTwice(result.output, run("train"));
  EXPECT_FALSE(contentOf(run("saved/state")).empty());
}

TEST_F(RunReport, PoliciesAreTheTwoThatHelpNames) {
  const auto result = tests::runCommand(command("--on-summary-error maybe"));
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.output, HasSubstr("maybe: choose continue or stop"));
}

TEST_F(RunReport, ADirectoryRemovedWhileTrainingIsNoticed) {
  const std::string out = (logs.path() / "out").string();
  // It is asked to stop once a point is in the new file.
  const auto result = tests::runCommand(
      "(" + command("--epochs 1000000") + " > " + out + " & " +
      tests::waitUntil("grep -qs '^epoch' " + out) + "rm -r " +
      run("train").string() + "; " +
      tests::waitUntil("grep -qs epoch_loss " + run("train").string() +
                       "/*tfevents*") +
      "kill -INT $!; wait $!)");
  EXPECT_EQ(result.exitCode, 1) << result.output;
  expectSaidTwice(result.output, run("train"));
  EXPECT_THAT(lastLineOf(result.output), HasSubstr("was removed while"));
  EXPECT_THAT(lastLineOf(result.output), HasSubstr("went on in a new file"));
  EXPECT_FALSE(
      tests::stepsOf(tests::readRun(run("train")), "epoch_loss").empty());
}

// No file larger than 2 MB, as if the disk were full.
TEST_F(RunReport, AFullDiskEndsADumpAndNothingElse) {
  const auto result = tests::runCommand(
      "(ulimit -f 4000; exec " +
      command("--epochs 4 --quiet "
              "--tap 'name:Dense_256/kernel:0_grad & at:accumulated -> full'") +
      ")");
  EXPECT_EQ(result.exitCode, 1) << result.output;
  expectSaidTwice(result.output, run("dump/Dense_256.kernel:0_grad.npy"));
  // Eight updates of 784x256 floats, of which two fit.
  EXPECT_THAT(lastLineOf(result.output),
              EndsWith("npy: disk full (lost 6 records, 4,816,896 bytes, from "
                       "update 2)"));
  EXPECT_THAT(tests::stepsOf(tests::readRun(run()),
                             "tapped_gradients/Dense_256/kernel:0_grad/mean"),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7))
      << "the other sinks go on";
  EXPECT_THAT(tests::stepsOf(tests::readRun(run("train")), "epoch_loss"),
              ElementsAre(0, 1, 2, 3));
}

TEST_F(RunReport, SamplesOnAFullDeviceAreCounted) {
  const auto result =
      tests::runCommand(command("--epochs 2 --quiet --inspect-json /dev/full"));
  EXPECT_EQ(result.exitCode, 1);
  // Two updates an epoch, two gradients and two activations each.
  EXPECT_THAT(lastLineOf(result.output),
              ::testing::MatchesRegex("popscope: not everything was written: "
                                      "/dev/full: disk full \\(lost 16 "
                                      "records, [0-9,]+ bytes, from update "
                                      "0\\)"));
  EXPECT_THAT(contentOf(run("log.csv")), HasSubstr("\n1,"));
}

TEST_F(RunReport, ReaderOfSamplesWhoGoesAwayDoesNotEndTheTraining) {
  const std::string errors = (logs.path() / "errors").string();
  const auto result = tests::runCommand(
      "{ " + command("--epochs 4 --quiet --inspect-json -") + " 2> " + errors +
      "; echo \"exit $?\" >> " + errors + "; } | head -n 1");
  EXPECT_THAT(result.output, StartsWith("{\"name\": "));
  EXPECT_THAT(contentOf(errors),
              HasSubstr("popscope: not everything was written: standard "
                        "output: its reader went away (lost "));
  EXPECT_THAT(contentOf(errors), EndsWith("\nexit 1\n"));
  EXPECT_THAT(contentOf(run("log.csv")), HasSubstr("\n3,"));
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(RunReport, ReaderOfProgressWhoGoesAwayDoesNotEndTheTraining) {
  const std::string errors = (logs.path() / "errors").string();
  tests::runCommand("{ " + command("--epochs 200") + " 2> " + errors +
                    "; echo \"exit $?\" >> " + errors + "; } | head -n 1");
  EXPECT_EQ(contentOf(errors),
            "popscope: standard output: its reader went away\n"
            "popscope: not everything was written: standard output: its "
            "reader went away\nexit 1\n");
  EXPECT_THAT(contentOf(run("log.csv")), HasSubstr("\n199,"));
}

TEST_F(RunReport, AClosedStandardOutputIsNotConfusedWithAFile) {
  const auto result = tests::runCommand(command("--epochs 2") + " 2>" +
                                        (logs.path() / "errors").string() +
                                        " >&-; echo exit $?");
  EXPECT_THAT(result.output, HasSubstr("exit 1"));
  EXPECT_THAT(contentOf(logs.path() / "errors"),
              HasSubstr("standard output: cannot be written"));
  for (const auto &entry : fs::recursive_directory_iterator(run()))
    if (entry.is_regular_file()) {
      EXPECT_THAT(contentOf(entry.path()), Not(HasSubstr("images/s")));
    }
}

// An event file would become the stream for errors, and get what is said.
TEST_F(RunReport, OfThreeClosedStreamsNoneIsConfusedWithAFile) {
  const auto result = tests::runCommand(
      "(" POPSCOPE_COMMAND " train --device model --tiles 8 --preset digits "
      "--data " POPSCOPE_DATA "/digits --epochs 2 --run r --logdir " +
      logs.path().string() + " <&- >&- 2>&-); echo exit $?");
  EXPECT_THAT(result.output, HasSubstr("exit 1"));
  const auto check = tests::runCommand(std::string(POPSCOPE_COMMAND) +
                                       " events check " + run().string());
  EXPECT_EQ(check.exitCode, 0) << check.output;
}

class SampleFile : public RunReport {
protected:
  void expectRefused(const std::string &options,
                     const std::string &reason) const {
    const auto result = tests::runCommand(command("--epochs 1 " + options));
    EXPECT_EQ(result.exitCode, 2) << options;
    EXPECT_THAT(result.output, StartsWith("popscope: --")) << options;
    EXPECT_THAT(result.output, HasSubstr(reason)) << options;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
        << result.output;
  }
  void expectTrains(const std::string &options) const {
    const auto result = tests::runCommand(command(options));
    EXPECT_EQ(result.exitCode, 0) << result.output;
  }
  const std::string json = (logs.path() / "samples.json").string();
};

TEST_F(SampleFile, ThatExistsIsOverwrittenOnlyByForce) {
  logs.file("samples.json", "years of work\n");
  expectRefused("--inspect-json " + json,
                "exists; --force overwrites it, --resume goes on with it");
  EXPECT_EQ(contentOf(json), "years of work\n");
  EXPECT_FALSE(fs::exists(run()));
  expectTrains("--epochs 1 --force --inspect-json " + json);
  EXPECT_THAT(contentOf(json), StartsWith("{\"name\""));
  const std::string first = contentOf(json);
  expectTrains("--epochs 2 --resume --inspect-json " + json);
  EXPECT_THAT(contentOf(json), StartsWith(first)) << "goes on with it";
  EXPECT_GT(contentOf(json).size(), first.size());
}

TEST_F(SampleFile, OfARefusedRunIsNotCreated) {
  const auto result =
      tests::runCommand(command("--inspect-json " + json + " --tap Dense_129"));
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_FALSE(fs::exists(json)) << "the next start would be refused";
}

TEST_F(SampleFile, IsNeverAnInputNorAFileOfTheRun) {
  const tests::TempDir copy;
  for (const auto &file : fs::directory_iterator(data))
    fs::copy(file.path(), copy.path() / file.path().filename());
  data = copy.path().string();
  const fs::path labels = fs::directory_iterator(copy.path())->path();
  const std::string before = contentOf(labels);
  fs::create_symlink(labels, logs.path() / "link");
  for (const std::string &file :
       {labels.string(), (logs.path() / "link").string()})
    expectRefused("--force --inspect-json " + file,
                  "is a file of the data set");
  EXPECT_EQ(contentOf(labels), before);
  for (const char *name : {"log.csv", "popscope.json", "saved/state"}) {
    fs::create_directories(run(name).parent_path());
    expectRefused("--force --inspect-json " + run(name).string(),
                  "is a file of the run");
  }
}

TEST_F(SampleFile, ForceWithoutItIsPointedOut) {
  expectRefused("--force", "--force has no effect without");
  expectRefused("--force --inspect-json -", "--force has no effect without");
}

} // namespace
} // namespace popscope
