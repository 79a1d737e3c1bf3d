// popscope train as users run it.
#include "tests/support/command.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace popscope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using ::testing::StartsWith;

std::string contentOf(const fs::path &file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Runs on the model, with few tiles: the graph is built sooner.
class TrainCommand : public ::testing::Test {
protected:
  tests::CommandResult train(const std::string &arguments) const {
    return tests::runCommand(POPSCOPE_COMMAND " train --device model --tiles 8 "
                                              "--logdir " +
                             logs.path().string() + " " + arguments);
  }
  void expectTrains(const std::string &arguments) const {
    const auto result = train(arguments);
    EXPECT_EQ(result.exitCode, 0) << arguments << "\n" << result.output;
  }
  // Exit code 2 and one line that says what is wrong.
  void expectRefused(const std::string &arguments,
                     const std::string &reason) const {
    const auto result = train(arguments);
    EXPECT_EQ(result.exitCode, 2) << arguments;
    EXPECT_THAT(result.output, StartsWith("popscope: ")) << arguments;
    EXPECT_THAT(result.output, HasSubstr(reason)) << arguments;
    EXPECT_EQ(std::count(result.output.begin(), result.output.end(), '\n'), 1)
        << result.output;
  }
  std::string checkpointOf(const std::string &run) const {
    return contentOf(logs.path() / run / "saved/state");
  }
  std::vector<tests::Event> events(const std::string &run) const {
    return tests::readRun(logs.path() / run);
  }

  const tests::TempDir logs;
  const std::string mnist = "--data " POPSCOPE_DATA "/mnist ";
  const std::string shortMlp =
      "--preset mlp " + mnist + "--epochs 2 --steps-per-epoch 8 ";
};

TEST_F(TrainCommand, BadNumbersAreRefused) {
  expectRefused("--epochs 0", "--epochs");
  expectRefused("--epochs -3", "--epochs -3: must be at least 1");
  expectRefused("--batch-size x", "--batch-size");
  expectRefused("--batch-size 99999999999999999999",
                "--batch-size 99999999999999999999: too large");
  expectRefused("--epochs 4294967296", "--epochs 4294967296: too large");
  expectRefused("--learning-rate -1", "--learning-rate: -1");
  expectRefused("--learning-rate nan", "--learning-rate: nan");
  expectRefused("--learning-rate 0.1,0.01", "0.01 has no epoch");
  expectRefused("--learning-rate 1e39", "--learning-rate: 1e39 is too large");
  expectRefused("--seed -1", "--seed -1: must be at least 0");
  expectRefused("--seed 18446744073709551616", ": too large");
  expectRefused("--replicas 0", "--replicas");
  for (const std::string what :
       {"evaluate", "validate", "filters", "histograms"}) {
    const std::string option = "--" + what + "-every ";
    expectRefused(option + "-1", option + "-1: must be at least 0");
    expectRefused(option + "4294967296", option + "4294967296: too large");
    expectRefused(option + "never", option + "never: not a whole number");
  }
  expectRefused(mnist + "--preset mlp --batch-size 10001", "only 10000 images");
  expectRefused(mnist + "--preset mlp --replicas 313", "takes 10016 images");
  expectRefused(mnist + "--preset mlp --steps-per-epoch 6", "not a multiple");
  expectRefused(mnist + "--preset mlp --steps-per-execution 6",
                "not a multiple");
}

// Such as an unset variable of a shell script.
TEST_F(TrainCommand, EmptyValuesAreRefused) {
  for (const std::string option : {"--preset",
                                   "--epochs",
                                   "--steps-per-epoch",
                                   "--steps-per-execution",
                                   "--batch-size",
                                   "--gradient-accumulation",
                                   "--accumulation-method",
                                   "--optimizer",
                                   "--learning-rate",
                                   "--seed",
                                   "--evaluate-every",
                                   "--pipeline-stages",
                                   "--replicas",
                                   "--precision",
                                   "--data",
                                   "--model",
                                   "--run",
                                   "--tap",
                                   "--inspect-json",
                                   "--model-type",
                                   "--gradients-filters",
                                   "--activations-filters"}) {
    expectRefused(option + " ''", option + ": the value is empty; ");
    expectRefused(option + "=", option + "=: the value is empty; ");
  }
  expectRefused("--run= r", "--run=: the value is empty");
  for (const char *option : {"--logdir", "--device", "--tiles"}) {
    const auto result = tests::runCommand(
        std::string(POPSCOPE_COMMAND " train ") + option + " ''");
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.output, HasSubstr(": the value is empty; "));
  }
}

TEST_F(TrainCommand, IneffectiveOptionsAreRefused) {
  expectRefused("--preset cnn --watch", "--watch has no effect without --tap");
  expectRefused("--preset mlp --watch --no-inspection",
                "--watch has no effect with --no-inspection");
  expectRefused("--clean", "--clean has no effect without --run");
  expectRefused("--preset fashion --filters-every 1",
                "--filters-every has no effect with --preset fashion");
}

TEST_F(TrainCommand, IpusThatThisBuildCannotUseAreRefused) {
  if (tests::runCommand(POPSCOPE_COMMAND " --version")
          .output.find("ipumodel") == std::string::npos)
    GTEST_SKIP() << "built on the SDK";
  const auto result =
      tests::runCommand(POPSCOPE_COMMAND " train --device ipu --logdir " +
                        logs.path().string() + " " + mnist);
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_EQ(result.output,
            "popscope: --device ipu: this program was built without the Poplar "
            "SDK and cannot use IPUs; use --device model, or build on the SDK "
            "as docs/sdk.md describes\n");
}

TEST_F(TrainCommand, UnknownWordsAreRefused) {
  expectRefused("--preset vgg", "there are mlp, cnn");
  expectRefused("--optimizer adagrad", "adagrad");
  expectRefused("--precision fp8", "fp8");
  expectRefused("--accumulation-method product", "product");
  for (const char *option :
       {"--no-pipelining", "--use-gradient-accumulation", "--model-type Model",
        "--outfeed-pre-accumulated-gradients", "--gradients-filters conv_1",
        "--activations-filters none"})
    expectRefused(std::string("--preset cnn ") + option,
                  "an option of --preset mlp");
  expectRefused("--resume", "--resume needs --run");
  expectRefused("--resume --clean", "--resume");
}

TEST_F(TrainCommand, ImpossibleStagesAreRefused) {
  const std::string cnn = mnist + "--preset cnn --pipeline-stages ";
  expectRefused(cnn + "9", "4 layers with weights");
  expectRefused(cnn + "4294967297", "4 layers with weights");
  expectRefused(cnn + "0", "must be at least 1");
  expectRefused(cnn + "conv_9", "no layer conv_9");
  expectRefused(cnn + "conv_2,conv_1", "in the order of the model: conv_0, ");
  expectRefused(cnn + "conv_0", "is the first");
  expectRefused(cnn + "conv_1,", "the name of a layer is missing");
  expectRefused(cnn + ",", "the name of a layer is missing");
  expectRefused(cnn + "-1", "no layer -1");
}

TEST_F(TrainCommand, BadDataAreRefused) {
  const tests::TempDir dir;
  const std::string data = "--data " + dir.path().string();
  expectRefused(data, "train-images-idx3-ubyte: No such file");
  expectRefused(data + " --preset digits", "digits.csv: No such file");
  for (const auto &file : fs::directory_iterator(POPSCOPE_DATA "/mnist"))
    fs::copy(file, dir.path());
  dir.file("train-images-idx3-ubyte", "not an IDX file");
  expectRefused(data, "train-images-idx3-ubyte: not an IDX file");
  fs::remove(dir.path() / "train-images-idx3-ubyte");
  fs::copy(POPSCOPE_DATA "/fashion-mnist/train-labels-idx1-ubyte.gz",
           dir.path(), fs::copy_options::overwrite_existing);
  expectRefused(data, "5000 labels for 10000 images");
  fs::resize_file(dir.path() / "t10k-images-idx3-ubyte.gz", 1000);
  fs::copy(POPSCOPE_DATA "/mnist/train-labels-idx1-ubyte.gz", dir.path(),
           fs::copy_options::overwrite_existing);
  expectRefused(data, "t10k-images-idx3-ubyte.gz: damaged gzip file");
}

TEST_F(TrainCommand, LogDirectoryThatCannotBeIsRefused) {
  expectRefused(shortMlp + "--run ../elsewhere", "not a name within");
  logs.file("file", "");
  expectRefused(shortMlp + "--run file", "is not a directory");
  // Nobody can write there, not even root.
  for (const std::string place : {"/proc/logs", "/dev/null/logs"}) {
    const auto result =
        tests::runCommand(POPSCOPE_COMMAND " train --device model --tiles 8 " +
                          shortMlp + "--logdir " + place);
    EXPECT_EQ(result.exitCode, 2);
    EXPECT_THAT(result.output,
                MatchesRegex("popscope: " + place + "/mlp-[^\n]*\n"));
  }
  expectRefused(shortMlp + "--inspect-json " + logs.path().string(),
                "cannot be written to");
  expectRefused(shortMlp + "--run new --resume", "no run to resume");
}

TEST_F(TrainCommand, MlpLearnsInAMomentAndSaysSo) {
  const auto result =
      train("--preset mlp --epochs 2 --steps-per-epoch 300 --run r " + mnist);
  ASSERT_EQ(result.exitCode, 0) << result.output;
  std::smatch match;
  ASSERT_TRUE(std::regex_search(
      result.output, match,
      std::regex("epoch 2/2  [0-9,]+ images/s  loss ([0-9.]+)  accuracy "
                 "([0-9.]+)\n")))
      << result.output;
  EXPECT_LT(std::stod(match[1]), 0.8);
  EXPECT_GT(std::stod(match[2]), 0.75);
  EXPECT_THAT(result.output, HasSubstr("accuracy    " + match[2].str()));
  EXPECT_THAT(result.output, HasSubstr("\nTo see it: "));
  EXPECT_THAT(result.output,
              HasSubstr("\nOr on one page: " POPSCOPE_COMMAND " report " +
                        (logs.path() / "r").string() + " -o report.html\n"));
  EXPECT_THAT(result.output, Not(HasSubstr("\x1b"))) << "no redraws in a pipe";
  EXPECT_THAT(contentOf(logs.path() / "r/popscope.json"),
              HasSubstr("\"gradient_accumulation\": 4"));
}

TEST_F(TrainCommand, PipeGetsTheIntroductionFirstAndEveryEpochHoweverShort) {
  const auto result = train("--preset mlp --no-inspection --run r --epochs 20 "
                            "--steps-per-epoch 4 " +
                            mnist);
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_TRUE(std::regex_search(
      result.output,
      std::regex("^data    .*\nmodel   .*\ndevice  .*\nlog     .*/r\n"
                 "building the graph [^\n]*\nepoch 1/20  ")))
      << result.output;
  for (unsigned epoch = 1; epoch <= 20; ++epoch)
    EXPECT_THAT(result.output,
                HasSubstr("\nepoch " + std::to_string(epoch) + "/20  "));
}

TEST_F(TrainCommand, ResultsSayOfWhichEpochTheyAre) {
  const auto result = train("--preset cnn --run r --epochs 3 --batch-size 8 "
                            "--gradient-accumulation 1 --steps-per-epoch 2 " +
                            mnist);
  EXPECT_TRUE(std::regex_search(
      result.output, std::regex("\n  metric  +training  validation    test\n"
                                "  epoch +3 +2 +3\n")))
      << result.output;
  EXPECT_THAT(train("--no-inspection --quiet " + shortMlp).output, "");
  EXPECT_THAT(train("--no-inspection " + shortMlp).output,
              HasSubstr("no validation: there is no validation set"));
}

TEST_F(TrainCommand, QuietPrintsNothing) {
  EXPECT_EQ(train(shortMlp + "--quiet").output, "");
}

TEST_F(TrainCommand, SeedDecidesEverything) {
  expectTrains(shortMlp + "--seed 7 --run one");
  expectTrains(shortMlp + "--seed 7 --run same");
  expectTrains(shortMlp + "--seed 8 --run other");
  EXPECT_EQ(checkpointOf("one"), checkpointOf("same"));
  EXPECT_NE(checkpointOf("one"), checkpointOf("other"));
  EXPECT_EQ(contentOf(logs.path() / "one/log.csv"),
            contentOf(logs.path() / "same/log.csv"));
}

TEST_F(TrainCommand, DropoutDependsOnAllBitsOfTheSeed) {
  const std::string cnn = "--preset cnn " + mnist +
                          "--epochs 1 --steps-per-epoch 1 --batch-size 8 "
                          "--gradient-accumulation 1 ";
  expectTrains(cnn + "--seed 1 --run low");
  expectTrains(cnn + "--seed 4294967297 --run high");
  const auto seedOf = [&](const std::string &run) {
    const std::string state = checkpointOf(run);
    // After the name, its length in 8 bytes and then the two words.
    const std::string name = "dropout/seed";
    const std::size_t at = state.find(name);
    EXPECT_NE(at, std::string::npos);
    return state.substr(at + name.size() + 8, 8);
  };
  EXPECT_NE(seedOf("low"), seedOf("high"));
}

TEST_F(TrainCommand, StepsPerExecutionDoNotChangeTheLog) {
  expectTrains(shortMlp + "--run one");
  expectTrains(shortMlp + "--run two --steps-per-execution 8");
  EXPECT_EQ(contentOf(logs.path() / "one/log.csv"),
            contentOf(logs.path() / "two/log.csv"));
}

TEST_F(TrainCommand, ResumedTrainingHasTheBitsOfAnUninterruptedOne) {
  // Dropout, an optimiser with a memory, and epochs that cross a pass.
  const std::string cnn = "--preset cnn --batch-size 8 --steps-per-epoch 4 "
                          "--gradient-accumulation 4 ";
  expectTrains(mnist + cnn + "--run whole --epochs 4");
  expectTrains(mnist + cnn + "--run parts --epochs 1");
  const std::string resume = mnist + cnn + "--run parts --epochs 4 --resume";
  EXPECT_THAT(train(resume).output,
              HasSubstr("\nresume  after epoch 1 of 4\n"));
  EXPECT_THAT(train(resume).output,
              HasSubstr("\nresume  after epoch 4 of 4: nothing is left"));
  EXPECT_EQ(checkpointOf("whole"), checkpointOf("parts"));
  EXPECT_EQ(contentOf(logs.path() / "whole/log.csv"),
            contentOf(logs.path() / "parts/log.csv"));

  const std::string resumed = cnn + "--run parts --resume ";
  expectRefused(mnist + resumed + "--epochs 4 --seed 2",
                "was trained with other options: seed 1, now seed 2");
  expectRefused("--data " POPSCOPE_DATA "/fashion-mnist " + resumed,
                "checksum of the training set");
  expectRefused(mnist + resumed + "--epochs 3",
                "has had 4 epochs already, more than --epochs 3");
}

// Tag, step and value of every tapped point of a run, in no order. The first of
// a tag in a file describes the tag besides.
std::multiset<std::string> pointsOf(const std::vector<tests::Event> &events) {
  std::multiset<std::string> points;
  for (const tests::Event &event : events)
    for (auto value : event.summary().value()) {
      if (value.tag().rfind("tapped_", 0) != 0)
        continue;
      value.clear_metadata();
      points.insert(value.tag() + " at " + std::to_string(event.step()) + ": " +
                    value.SerializeAsString());
    }
  return points;
}

TEST_F(TrainCommand, ResumedTrainingIsInspectedLikeAnUninterruptedOne) {
  // An epoch is two weight updates, the steps that schedules count.
  const std::string mlp =
      "--preset mlp " + mnist + "--steps-per-epoch 8 --replicas 2 " +
      "--tap 'kind:activation @ every 3 from 1 -> shape' 'loss @ steps 2,5' "
      "'name:Dense_10/bias:0_grad & at:accumulated @ every 3 steps 4 -> full' ";
  const auto run = [&](const std::string &name, const std::string &options) {
    expectTrains(mlp + "--run " + name + " --inspect-json " +
                 (logs.path() / (name + ".json")).string() + options);
  };
  run("whole", " --epochs 4");
  run("parts", " --epochs 1");
  run("parts", " --epochs 2 --resume");
  run("parts", " --epochs 4 --resume");
  // As if killed after its last checkpoint.
  run("killed", " --epochs 1");
  fs::copy(logs.path() / "killed/saved", logs.path() / "kept");
  run("killed", " --epochs 3 --resume");
  fs::copy(logs.path() / "kept", logs.path() / "killed/saved",
           fs::copy_options::overwrite_existing);
  run("killed", " --epochs 4 --resume");

  const auto whole = pointsOf(events("whole"));
  EXPECT_FALSE(whole.empty());
  EXPECT_EQ(pointsOf(events("parts")), whole);
  EXPECT_THAT(
      tests::stepsOf(events("parts"), "tapped_activations/Dense_128_acts/mean"),
      ElementsAre(1, 4, 7));
  EXPECT_THAT(tests::stepsOf(events("parts"), "tapped_activations/loss/mean"),
              ElementsAre(2, 5));
  const std::string dump = "dump/Dense_10.bias:0_grad.npy";
  for (const char *name : {"parts", "killed"}) {
    EXPECT_EQ(contentOf(logs.path() / name / dump),
              contentOf(logs.path() / "whole" / dump))
        << name;
    EXPECT_EQ(contentOf(logs.path() / (std::string(name) + ".json")),
              contentOf(logs.path() / "whole.json"))
        << name;
  }
}

// Lines of a file in no order: a stop in the middle of an epoch tells of its
// steps sooner.
std::multiset<std::string> linesOf(const fs::path &file) {
  std::ifstream in(file);
  std::multiset<std::string> lines;
  for (std::string line; std::getline(in, line);)
    lines.insert(line);
  return lines;
}

// From the first table on, without the lines of epochs, whose rates differ, and
// what watching has cost this start.
std::string tablesOf(const std::string &output) {
  const std::string tables =
      std::regex_replace(output.substr(0, output.find("\n  cost of watching")),
                         std::regex("\nepoch [^\n]*"), "");
  return tables.substr(std::min(tables.find("\n\nGradients"), tables.size()));
}

TEST_F(TrainCommand, StoppedAnywhereAndResumedIsInspectedLikeAWhole) {
  const std::string mlp =
      "--preset mlp " + mnist + "--steps-per-epoch 400 --epochs 3 " +
      "--tap 'kind:gradient & at:accumulated @ every 7 -> shape' "
      "--inspect-json " +
      logs.path().string();
  const auto whole = train(mlp + "/whole.json --run whole");
  const std::string out = (logs.path() / "out").string();
  int exitCode = 0;
  while (exitCode == 0) // again, if it ended before it was stopped
    exitCode =
        tests::runCommand("rm -f " + out + " " + logs.path().string() +
                          "/parts.json; " POPSCOPE_COMMAND
                          " train --device model --tiles 8 --logdir " +
                          logs.path().string() + " " + mlp + "/parts.json > " +
                          out + " --run parts --clean & " +
                          tests::waitUntil("grep -qs '^epoch' " + out) +
                          "kill -INT $!; wait $!")
            .exitCode;
  ASSERT_EQ(exitCode, 130);
  const auto resumed = train(mlp + "/parts.json --run parts --resume");
  ASSERT_THAT(tablesOf(resumed.output), HasSubstr("Epoch 3 - Summary Stats"));
  EXPECT_THAT(tablesOf(whole.output), EndsWith(tablesOf(resumed.output)))
      << "of whole epochs";
  EXPECT_EQ(linesOf(logs.path() / "parts.json"),
            linesOf(logs.path() / "whole.json"));
  EXPECT_EQ(checkpointOf("parts"), checkpointOf("whole"));
}

TEST_F(TrainCommand, RefusedRunLeavesTheSamplesOfAnEarlierOne) {
  const std::string json = (logs.path() / "samples.json").string();
  expectTrains(shortMlp + "--run r --inspect-json " + json);
  const std::string samples = contentOf(json);
  EXPECT_THAT(samples, StartsWith("{"));
  expectRefused(shortMlp + "--run r --force --inspect-json " + json,
                "r: exists");
  EXPECT_EQ(contentOf(json), samples);
}

TEST_F(TrainCommand, SamplesHaveStandardOutputForThemselves) {
  const fs::path json = logs.path() / "samples.json";
  const fs::path out = logs.path() / "out";
  expectTrains(shortMlp + "--run one --inspect-json " + json.string());
  for (const std::string watch : {"", "--watch"}) {
    const auto result = tests::runCommand(
        "(" POPSCOPE_COMMAND " train --device model --tiles 8 --logdir " +
        logs.path().string() + " " + shortMlp + "--run two --clean " + watch +
        " --inspect-json - > " + out.string() + ")");
    EXPECT_EQ(result.exitCode, 0);
    EXPECT_EQ(contentOf(out), contentOf(json));
    EXPECT_THAT(result.output, StartsWith("data    10,000 training"));
    EXPECT_THAT(result.output,
                HasSubstr(watch.empty() ? "\nepoch 2/2  " : "  abs_max  "));
    EXPECT_THAT(result.output, HasSubstr("\nTo see it: "));
  }
}

TEST_F(TrainCommand, CtrlCFinishesTheStepAndSaysHowToGoOn) {
  const std::string out = (logs.path() / "out").string();
  const auto result = tests::runCommand(
      POPSCOPE_COMMAND " train --device model --tiles 8 --logdir " +
      logs.path().string() + " --run r --preset mlp " + mnist +
      "--steps-per-epoch 8 --epochs 1000000 > " + out + " & " +
      tests::waitUntil("grep -q '^epoch' " + out) + "kill -INT $!; wait $!");
  EXPECT_EQ(result.exitCode, 130);
  const std::string printed = contentOf(out);
  EXPECT_THAT(printed, HasSubstr("To go on:\n  " POPSCOPE_COMMAND " train "));
  EXPECT_TRUE(std::regex_search(
      printed, std::regex("\nstopped (after epoch [0-9]+ of 1000000|in epoch "
                          "[0-9]+ of 1000000, after 4 of 8 batches); ")))
      << printed;
  EXPECT_THAT(printed,
              HasSubstr(" --resume " + (logs.path() / "r").string() + "\n"));
  EXPECT_FALSE(checkpointOf("r").empty());
  EXPECT_FALSE(events("r/train").empty()) << "whole records only";
}

TEST_F(TrainCommand, FinishedWithoutItsLastCheckpointIsAFailure) {
  // No file larger than 2 MB, as if the disk were full: enough for all but the
  // state of Adam.
  const auto result = tests::runCommand(
      "(ulimit -f 4000; exec " POPSCOPE_COMMAND
      " train --device model --tiles 8 --logdir " +
      logs.path().string() + " --run r --optimizer adam " + shortMlp + ")");
  EXPECT_EQ(result.exitCode, 1) << result.output;
  EXPECT_THAT(result.output, HasSubstr("\nTo see it: "));
  EXPECT_THAT(result.output,
              EndsWith("\npopscope: not everything was written: " +
                       (logs.path() / "r/saved").string() +
                       ": the last checkpoint was not written: File too large "
                       "(lost from epoch 1)\n"));
  EXPECT_THAT(tests::stepsOf(events("r/train"), "epoch_loss"),
              ElementsAre(0, 1));
  EXPECT_FALSE(fs::exists(logs.path() / "r/saved.new"));
}

TEST_F(TrainCommand, RunIsNotOverwritten) {
  expectTrains(shortMlp + "--run r");
  expectRefused(shortMlp + "--run r", "r: exists");
  expectTrains(shortMlp + "--run r --clean");
}

TEST_F(TrainCommand, CnnLogsWhatTheTutorialShows) {
  expectTrains(mnist + "--preset cnn --run r --epochs 5 --steps-per-epoch 16");
  const auto train = events("r/train");
  for (const char *tag :
       {"epoch_loss", "epoch_accuracy", "epoch_auc",
        "epoch_top_k_categorical_accuracy", "conv_0/kernel/histogram"})
    EXPECT_THAT(tests::stepsOf(train, tag), ElementsAre(0, 1, 2, 3, 4)) << tag;
  EXPECT_THAT(tests::stepsOf(events("r/validation"), "epoch_auc"),
              ElementsAre(1, 3));
  EXPECT_THAT(
      tests::stepsOf(events("r/validation"), "evaluation_auc_vs_iterations"),
      ElementsAre(2, 4))
      << "updates";
  EXPECT_THAT(tests::stepsOf(events("r/evaluation"), "evaluation_loss"),
              ElementsAre(4));
  EXPECT_THAT(tests::stepsOf(events("r/train"), "conv_1"), ElementsAre(1, 3));
}

TEST_F(TrainCommand, PeriodsAreTheUsersToChoose) {
  const auto result =
      train(mnist + "--preset cnn --run r --epochs 3 --steps-per-epoch 16 "
                    "--evaluate-every 3 --validate-every 0 --filters-every 1 "
                    "--histograms-every 9");
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("popscope: --histograms-every 9: never due; the "
                        "training has 3 epochs\n"));
  EXPECT_THAT(tests::stepsOf(events("r/evaluation"), "evaluation_loss"),
              ElementsAre(2));
  EXPECT_THAT(tests::stepsOf(events("r/train"), "conv_1"),
              ElementsAre(0, 1, 2));
  EXPECT_FALSE(fs::exists(logs.path() / "r/validation"));
  EXPECT_TRUE(
      tests::stepsOf(events("r/train"), "conv_0/kernel/histogram").empty());
}

TEST_F(TrainCommand, EveryPresetCanBeEvaluated) {
  expectTrains(shortMlp + "--run r --evaluate-every 2");
  EXPECT_THAT(tests::stepsOf(events("r/evaluation"), "evaluation_accuracy"),
              ElementsAre(1));
}

TEST_F(TrainCommand, AShortCnnHasNoEmptyRuns) {
  expectTrains(mnist + "--preset cnn --run r --epochs 1 --steps-per-epoch 16");
  for (const char *run : {"r/evaluation", "r/validation"})
    EXPECT_FALSE(fs::exists(logs.path() / run)) << run;
  EXPECT_EQ(tests::runCommand(POPSCOPE_COMMAND " events doctor " +
                              logs.path().string())
                .exitCode,
            0);
}

TEST_F(TrainCommand, EveryTensorOfEveryMomentHasOnePointPerStep) {
  expectTrains(shortMlp + "--run r --replicas 2 --tap '*'");
  std::set<std::pair<std::string, std::int64_t>> points;
  for (const auto &event : events("r"))
    for (const auto &value : event.summary().value())
      EXPECT_TRUE(points.emplace(value.tag(), event.step()).second)
          << value.tag() << " twice at " << event.step();
  for (const char *moment : {"", "_per_micro_batch", "_reduced"})
    EXPECT_EQ(points.count({"tapped_gradients/Dense_10/bias:0_grad" +
                                std::string(moment) + "/mean",
                            1}),
              1u)
        << moment;
}

TEST_F(TrainCommand, ATrainingThatDivergesSaysNan) {
  const auto result = train(shortMlp + "--run r --learning-rate 1e30");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("loss nan  accuracy"));
  EXPECT_THAT(contentOf(logs.path() / "r/log.csv"), HasSubstr(",nan,"));
}

TEST_F(TrainCommand, ARunOfAnOlderVersionIsResumed) {
  expectTrains(shortMlp + "--run whole");
  const std::string parts = "--preset mlp " + mnist + "--steps-per-epoch 8 ";
  expectTrains(parts + "--run old --epochs 1");
  fs::rename(logs.path() / "old/saved", logs.path() / "old/checkpoint");
  expectTrains(parts + "--run old --epochs 2 --resume");
  EXPECT_EQ(checkpointOf("old"), checkpointOf("whole"));
  EXPECT_FALSE(fs::exists(logs.path() / "old/checkpoint"));
}

TEST_F(TrainCommand, TheProjectorShowsImagesOfTheTestSetOnly) {
  expectRefused(shortMlp + "--run r --projector 2001",
                "--projector 2001: the test set has 2000 images");
  expectTrains(shortMlp + "--run r --projector 20");
  EXPECT_TRUE(fs::exists(logs.path() / "r/projector_config.pbtxt"));
  const std::string watched = checkpointOf("r");
  expectTrains(shortMlp + "--run r --clean");
  EXPECT_EQ(checkpointOf("r"), watched) << "the same bits with and without";
  EXPECT_FALSE(fs::exists(logs.path() / "r/projector_config.pbtxt"));
}

TEST_F(TrainCommand, GmpCnnLogsItsLearningRates) {
  expectTrains(mnist +
               "--preset gmp-cnn --run r --epochs 7 --steps-per-epoch 1 "
               "--batch-size 4");
  std::vector<float> rates;
  for (const auto &value : tests::valuesOf(events("r/lr"), "learning_rate"))
    rates.push_back(value.simple_value());
  EXPECT_THAT(rates, ElementsAre(0.2f, 0.2f, 0.2f, 0.2f, 0.2f, 0.2f, 0.02f));
  EXPECT_THAT(contentOf(logs.path() / "r/popscope.json"),
              HasSubstr("\"learning_rate_schedule\": \"0.2,0.02@7,"));
  EXPECT_THAT(contentOf(logs.path() / "r/log.csv"), HasSubstr("\n6,0.02,"));
}

TEST_F(TrainCommand, GmpCnnLogsALearningRateThatNeverChanges) {
  expectTrains(mnist +
               "--preset gmp-cnn --run r --epochs 2 --steps-per-epoch 1 "
               "--batch-size 4 --learning-rate 0.01");
  EXPECT_THAT(tests::stepsOf(events("r/lr"), "learning_rate"),
              ElementsAre(0, 1));
  EXPECT_EQ(tests::valuesOf(events("r/lr"), "learning_rate")[1].simple_value(),
            0.01f);
}

TEST_F(TrainCommand, FashionDrawsAConfusionMatrixEveryEpoch) {
  expectTrains("--data " POPSCOPE_DATA "/fashion-mnist --preset fashion "
               "--run r --epochs 2 --steps-per-epoch 20");
  EXPECT_THAT(tests::stepsOf(events("r/cm"), "Confusion Matrix"),
              ElementsAre(0, 1));
}

TEST_F(TrainCommand, DigitsHaveCurvesAndSheets) {
  expectTrains("--data " POPSCOPE_DATA "/digits --preset digits --run r "
               "--epochs 11");
  const auto test = events("r/test");
  EXPECT_EQ(tests::stepsOf(test, "Loss").size(), 11u);
  EXPECT_THAT(tests::stepsOf(test, "Accuracy"), ElementsAre(1, 10));
  EXPECT_THAT(tests::stepsOf(test, "Training Data"), ElementsAre(0));
  EXPECT_THAT(tests::stepsOf(test, "Step 1 Accuracy Testsheet"),
              ElementsAre(1));
  EXPECT_THAT(tests::stepsOf(test, "Model Output"), ElementsAre(1));
}

// The steps of a tag that TensorBoard shows: a start discards those that it
// will come to again.
std::vector<std::int64_t> shownSteps(const std::vector<tests::Event> &events,
                                     const std::string &tag) {
  std::vector<std::int64_t> steps;
  for (const tests::Event &event : events) {
    if (event.has_session_log())
      steps.erase(std::remove_if(
                      steps.begin(), steps.end(),
                      [&](std::int64_t step) { return step >= event.step(); }),
                  steps.end());
    for (const std::int64_t step : tests::stepsOf({event}, tag))
      steps.push_back(step);
  }
  return steps;
}

TEST_F(TrainCommand, ResumedDigitsShowEveryEpochOnce) {
  const std::string digits =
      "--data " POPSCOPE_DATA "/digits --preset digits --run r --epochs ";
  expectTrains(digits + "3");
  expectTrains(digits + "5 --resume");
  EXPECT_THAT(shownSteps(events("r/test"), "Loss"), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(tests::stepsOf(events("r/test"), "Training Data"),
              ElementsAre(0));
  EXPECT_THAT(shownSteps(events("r/train"), "epoch_loss"),
              ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(TrainCommand, ReplicasAndAccumulationOfOneEffectiveBatchAgree) {
  const std::string common = mnist + "--preset mlp --pipeline-stages 1 "
                                     "--epochs 1 --accumulation-method mean ";
  expectTrains(common + "--steps-per-epoch 16 --gradient-accumulation 4 "
                        "--run accumulated");
  expectTrains(common + "--steps-per-epoch 8 --gradient-accumulation 2 "
                        "--replicas 2 --run replicated");
  // The same images in the same updates; only the sums differ in order.
  const auto loss = [&](const std::string &run) {
    return tests::valuesOf(events(run + "/train"), "epoch_loss")
        .at(0)
        .simple_value();
  };
  EXPECT_NEAR(loss("accumulated"), loss("replicated"), 1e-4);
}

} // namespace
} // namespace popscope
