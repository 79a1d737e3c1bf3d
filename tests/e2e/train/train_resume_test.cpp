// A training that is stopped, and goes on.
#include "train_command.hpp"

#include <algorithm>
#include <fstream>
#include <regex>

namespace popscope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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

TEST_F(TrainCommand, ARunOfAnOlderVersionIsResumed) {
  expectTrains(shortMlp + "--run whole");
  const std::string parts = "--preset mlp " + mnist + "--steps-per-epoch 8 ";
  expectTrains(parts + "--run old --epochs 1");
  fs::rename(logs.path() / "old/saved", logs.path() / "old/checkpoint");
  expectTrains(parts + "--run old --epochs 2 --resume");
  EXPECT_EQ(checkpointOf("old"), checkpointOf("whole"));
  EXPECT_FALSE(fs::exists(logs.path() / "old/checkpoint"));
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

} // namespace
} // namespace popscope
