// What the program says when a tensor is not finite, and what it leaves behind.
#include "host/train/state/checkpoint.hpp"
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"
#include "text/json_value.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <string>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class HealthRun : public testing::Test {
protected:
  tests::CommandResult train(const std::string &options) {
    return tests::runCommand(
        std::string(POPSCOPE_COMMAND) + " train --tiles 16 --data " +
        POPSCOPE_DATA "/mnist --logdir " + directory.path().string() +
        " --run run " + options);
  }
  tests::CommandResult health(const std::string &options = "") {
    return tests::runCommand(std::string(POPSCOPE_COMMAND) + " health " +
                             (directory.path() / "run").string() + " " +
                             options);
  }
  text::JsonValue manifest() {
    std::ifstream in(directory.path() / "run/popscope.json");
    return text::parseJson(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  // Spoils an element of the checkpoint.
  void poison(const std::string &name) {
    const auto file = directory.path() / "run/saved";
    Checkpoint checkpoint = readCheckpoint(file);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (SavedTensor &tensor : checkpoint.tensors)
      if (tensor.name == name)
        std::memcpy(tensor.bytes.data() + 5 * sizeof nan, &nan, sizeof nan);
    writeCheckpoint(file, checkpoint);
  }
  tests::TempDir directory;
};

const char *const kShortCnn =
    "--preset cnn --gradient-accumulation 2 --epochs 1 --steps-per-epoch 16 ";
const char *const kShortMlp = "--preset mlp --epochs 1 --steps-per-epoch 40 ";

TEST_F(HealthRun, NamesTheTensorThatOverflowedThoughItIsFiniteAgainLater) {
  const auto result =
      train(kShortCnn + std::string("--precision half --learning-rate 1e3"));
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("popscope: first not finite: update 1, micro-batch 0, "
                        "conv_1_preacts (conv_1, stage 0): "));
  EXPECT_THAT(result.output, HasSubstr(": overflow of half (65504)\n"));
  EXPECT_THAT(result.output, HasSubstr("the ReLU of conv_2 made finite"));

  const auto verdict = health();
  EXPECT_EQ(verdict.exitCode, 3);
  EXPECT_THAT(verdict.output, StartsWith("first not finite: update 1, "));
  const text::JsonValue json = text::parseJson(health("--json").output);
  EXPECT_EQ(json["first_not_finite"]["tensor"].stringOr(""), "conv_1_preacts");
  EXPECT_EQ(manifest()["health"]["first_not_finite"]["cause"].stringOr(""),
            "overflow of half (65504)");
  EXPECT_TRUE(manifest()["health"]["finished"].boolOr(false));
}

TEST_F(HealthRun, OfFiniteTensorsIsGood) {
  const auto result = train(kShortMlp);
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("not finite")));
  const auto verdict = health();
  EXPECT_EQ(verdict.exitCode, 0);
  EXPECT_THAT(verdict.output, StartsWith("healthy: all elements of "));
}

TEST_F(HealthRun, StopsAtAnAlarmIfAskedToAndKeepsTheCheckpointFromBefore) {
  const auto result = train(
      kShortMlp + std::string("--inject nan:Dense_10_preacts@update=5,index=3 "
                              "--on-alarm stop"));
  EXPECT_EQ(result.exitCode, 3) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("fault   nan:Dense_10_preacts@update=5,index=3, "
                        "planted by --inject\n"));
  EXPECT_THAT(result.output,
              HasSubstr("first at [0,3]; its inputs were finite ("));
  EXPECT_THAT(result.output,
              HasSubstr("injected by nan:Dense_10_preacts@update=5,index=3"));
  EXPECT_THAT(result.output, HasSubstr("because of --on-alarm stop"));
  const auto resumed = train(kShortMlp + std::string("--resume"));
  EXPECT_EQ(resumed.exitCode, 0) << resumed.output;
  EXPECT_THAT(resumed.output, Not(HasSubstr("not finite")));
  EXPECT_EQ(health().exitCode, 0);
}

TEST_F(HealthRun, AStopComesAfterTheUpdateOfTheFaultEveryTime) {
  const std::string fault =
      "--preset cnn --gradient-accumulation 2 --epochs 3 --steps-per-epoch 32 "
      "--clean --on-alarm stop --inject nan:conv_1/kernel:0_grad@update=";
  for (int start = 0; start < 3; ++start)
    EXPECT_THAT(train(fault + "20").output,
                HasSubstr("stopped in epoch 2 of 3, after 10 of 32 batches "))
        << "update 20 has batches 40 and 41";
  EXPECT_THAT(train(fault + "20 --steps-per-execution 8").output,
              HasSubstr("stopped in epoch 2 of 3, after 16 of 32 batches "))
      << "the execution has batches 40 to 47";
}

TEST_F(HealthRun, AStopInTheLastUpdateOfAnEpochLeavesNothingOfThatEpoch) {
  const auto result = train(
      "--preset cnn --gradient-accumulation 2 --epochs 1 --steps-per-epoch 16 "
      "--on-alarm stop --inject nan:conv_1/kernel:0_grad@update=7");
  EXPECT_EQ(result.exitCode, 3);
  EXPECT_THAT(result.output, HasSubstr("stopped after epoch 1 of 1 because"));
  EXPECT_THAT(result.output, Not(HasSubstr("epoch 1/1")));
  EXPECT_THAT(result.output, Not(HasSubstr("To see it")));
  EXPECT_TRUE(readCheckpoint(directory.path() / "run/saved").done ==
              Batches(0));
}

TEST_F(HealthRun, AStoppedTrainingGoesOnFromAFiniteCheckpoint) {
  const std::string options = "--preset cnn --gradient-accumulation 2 "
                              "--epochs 2 --steps-per-epoch 16 ";
  EXPECT_EQ(train(options + "--checkpoint-every 0 --on-alarm stop --inject "
                            "nan:conv_1/kernel:0_grad@update=9")
                .exitCode,
            3);
  const Checkpoint kept = readCheckpoint(directory.path() / "run/saved");
  EXPECT_TRUE(kept.done == Batches(18)) << "nine updates";
  // Without --on-alarm stop an execution would be the epoch.
  const auto resumed = train(options + "--resume");
  EXPECT_EQ(resumed.exitCode, 0) << resumed.output;
  EXPECT_THAT(resumed.output,
              HasSubstr("resume  in epoch 2 of 2, after 2 of 16 batches"));
  EXPECT_EQ(health().exitCode, 0);
  const auto refused = train(options + "--resume --steps-per-execution 16");
  EXPECT_THAT(refused.output, HasSubstr("batches per execution 2, now batches "
                                        "per execution 16"));
}

TEST_F(HealthRun, DumpsTheTensorAndItsInputsIfAskedTo) {
  const auto result =
      train(kShortMlp + std::string("--inject nan:Dense_10_preacts@update=5,"
                                    "index=3 --on-alarm dump"));
  EXPECT_EQ(result.exitCode, 0) << result.output;
  const std::string line =
      "dumped to " + (directory.path() / "run/dump/first_not_finite").string() +
      ": Dense_10_preacts.npy, Dense_128_acts.npy, Dense_10.kernel:0.npy, "
      "Dense_10.bias:0.npy (";
  EXPECT_THAT(result.output, HasSubstr("popscope: " + line));
  EXPECT_THAT(health().output, HasSubstr(line));
  std::size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(
           directory.path() / "run/dump/first_not_finite"))
    files += entry.path().extension() == ".npy";
  EXPECT_EQ(files, 4u);
}

TEST_F(HealthRun, AResumedRunKeepsItsFirstAlarmAndTheDump) {
  const std::string options =
      "--preset mlp --steps-per-epoch 40 --inject "
      "nan:Dense_10/kernel:0_grad@update=5,index=3 --on-alarm dump --epochs ";
  EXPECT_EQ(train(options + "1").exitCode, 0);
  const std::string before = health().output;
  EXPECT_THAT(before, HasSubstr("first not finite: update 5, "));
  const auto resumed = train(options + "2 --resume");
  EXPECT_EQ(resumed.exitCode, 0) << resumed.output;
  EXPECT_EQ(health().output, before);
  EXPECT_THAT(resumed.output, HasSubstr("popscope: first not finite: update 5"))
      << "in the last lines";
  EXPECT_FALSE(std::filesystem::exists(directory.path() /
                                       "run/dump/first_not_finite/input.npy"))
      << "of what was bad already when it was resumed";
}

TEST_F(HealthRun, RefusesDumpBudgetsThatMakeNoSense) {
  for (const char *budget : {"much", "0MB", "1TB", "1MB,", "1MB,0", "1MB,2x"}) {
    const auto result = train(kShortMlp +
                              std::string("--on-alarm dump "
                                          "--dump-budget ") +
                              budget);
    EXPECT_EQ(result.exitCode, 2) << budget;
    EXPECT_THAT(result.output, HasSubstr("such as 256MB,16")) << budget;
  }
  const auto result = train(kShortMlp + std::string("--dump-budget 1MB"));
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.output, HasSubstr("without --on-alarm dump"));
}

TEST_F(HealthRun, SaysThatBadOptimizerStateWasInTheCheckpoint) {
  const char *const longer =
      "--preset mlp --optimizer rmsprop --steps-per-epoch 40 --epochs ";
  EXPECT_EQ(train(longer + std::string("1")).exitCode, 0);
  poison("Dense_10/bias:0/velocity");
  const auto resumed = train(longer + std::string("2 --resume"));
  EXPECT_THAT(resumed.output,
              HasSubstr("popscope: first not finite: update 10, "
                        "Dense_10/bias:0_rms "));
  EXPECT_THAT(resumed.output, HasSubstr("; Dense_10/bias:0_rms had 1 NaN: "
                                        "already in the checkpoint\n"));
}

TEST_F(HealthRun, SaysThatABadWeightWasInTheCheckpoint) {
  const char *const longer = "--preset mlp --steps-per-epoch 40 --epochs ";
  EXPECT_EQ(train(longer + std::string("1")).exitCode, 0);
  poison("Dense_10/kernel:0");
  const auto resumed = train(longer + std::string("2 --resume"));
  EXPECT_EQ(resumed.exitCode, 0) << resumed.output;
  EXPECT_THAT(resumed.output,
              HasSubstr("popscope: first not finite: update 10, micro-batch 0, "
                        "Dense_10_preacts "));
  EXPECT_THAT(resumed.output, HasSubstr("; Dense_10/kernel:0 had 1 NaN: "
                                        "already in the checkpoint\n"));
  EXPECT_EQ(health().exitCode, 3);
}

TEST_F(HealthRun, IsNotKnownIfItWasNotWatched) {
  EXPECT_EQ(train(kShortMlp + std::string("--no-health")).exitCode, 0);
  const auto verdict = health();
  EXPECT_EQ(verdict.exitCode, 2);
  EXPECT_THAT(verdict.output, HasSubstr("its health was not watched"));
}

TEST_F(HealthRun, OfADirectoryThatIsNoRunIsRefused) {
  const auto verdict = health();
  EXPECT_EQ(verdict.exitCode, 2);
  EXPECT_THAT(verdict.output, HasSubstr("no popscope.json"));
}

TEST_F(HealthRun, RefusesFaultsThatCannotBePlanted) {
  const auto refused = [&](const std::string &fault, const char *why) {
    const auto result = train(kShortMlp + ("--inject " + fault));
    EXPECT_EQ(result.exitCode, 2) << fault;
    EXPECT_THAT(result.output, HasSubstr(why)) << fault;
  };
  refused("nan:Dense_9_acts@update=1", "no tensor 'Dense_9_acts'; the nearest");
  refused("nan:loss@update=1,index=99", "a fault at element 99");
  refused("nan:loss@update=1,micro_batch=9", "an update has 4 of this tensor");
  refused("nan:loss", "--inject: fault 'nan:loss' is not WHAT:TENSOR@update=U");
  refused("nan:loss@update=1,at=reduced",
          "popscope: fault 'nan:loss@update=1,at=reduced': this tensor is "
          "complete at microBatch, not at reduced\n");
  refused("flip:loss@update=1,bit=40",
          "popscope: fault 'flip:loss@update=1,bit=40': a fault in bit 40 of "
          "elements that have 32\n");
  refused(
      "nan:loss@update=1,replica=1",
      "--inject: fault 'nan:loss@update=1,replica=1': there is one replica");
  refused("nan:loss@update=1,replica=2 --replicas 2",
          "there are 2 replicas, counted from 0\n");
  refused("nan:loss_scale@update=1 --precision half",
          "popscope: fault 'nan:loss_scale@update=1': a fault cannot change a "
          "tensor that is constant\n");
}

TEST_F(HealthRun, PointsOutAFaultThatIsNeverDue) {
  const auto result =
      train(kShortMlp + std::string("--inject nan:loss@update=10"));
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              HasSubstr("popscope: --inject: 'nan:loss@update=10' is never "
                        "due; there are 10 updates, counted from 0\n"));
}

TEST_F(HealthRun, TakesFaultsThatBeginWithAMinusWhereverTheyStand) {
  const auto result = train(
      kShortMlp + std::string("--inject nan:loss@update=7 -inf:loss@update=8 "
                              "inf:loss@update=9 --quiet"));
  EXPECT_EQ(result.exitCode, 0) << result.output;
  const auto resumed = tests::runCommand(std::string(POPSCOPE_COMMAND) +
                                         " train --epochs 2 --resume " +
                                         (directory.path() / "run").string());
  EXPECT_EQ(resumed.exitCode, 0) << resumed.output;
  EXPECT_THAT(resumed.output,
              HasSubstr("fault   -inf:loss@update=8, planted by --inject"));
}

TEST_F(HealthRun, RefusesIntendedInfinitiesOfNoTensor) {
  const auto result =
      train(kShortMlp + std::string("--infinities-intended Dense_9_acts"));
  EXPECT_EQ(result.exitCode, 2);
  EXPECT_THAT(result.output,
              HasSubstr("popscope: --infinities-intended: no tensor matches "
                        "'Dense_9_acts'; the nearest are Dense_"));
  EXPECT_EQ(
      train(kShortMlp + std::string("--infinities-intended Dense_10_acts"))
          .exitCode,
      0);
}

TEST_F(HealthRun, TellsHowRecordedTensorsWouldFareInAnotherFormat) {
  const auto result = train(kShortMlp + std::string("--tap 'kind:weight "
                                                    "-> shape'"));
  EXPECT_EQ(result.exitCode, 0) << result.output;
  const auto table = health("--format f143 --scale 4");
  EXPECT_EQ(table.exitCode, 0) << table.output;
  EXPECT_THAT(table.output, StartsWith("tensor\tlargest\theadroom\t"));
  EXPECT_THAT(table.output,
              HasSubstr("\nf143 holds up to 240, normal from "
                        "0.0078, subnormal from 0.00098; elements "
                        "times 2^4\n"));
  const text::JsonValue json =
      text::parseJson(health("--format half --json").output);
  EXPECT_EQ(json["format"].stringOr(""), "half");
  EXPECT_GE(json["tensors"].items().size(), 4u);
}

TEST_F(HealthRun, CountsWhatOverflowedAsSaturated) {
  EXPECT_EQ(train(kShortCnn + std::string("--precision half --learning-rate "
                                          "1e3 --tap '* -> shape'"))
                .exitCode,
            0);
  const auto table = health("--format half");
  EXPECT_THAT(table.output, HasSubstr("\nconv_1_preacts\tinf\tnone\t"));
  EXPECT_THAT(table.output, HasSubstr("\nloss scale: multiply it by 2^-1: "
                                      "gradients are too large for half, "
                                      "which may come from conv_0_preacts: it "
                                      "was not finite"));
}

TEST_F(HealthRun, TheLossScaleIsThatOfTheOption) {
  const std::string options = kShortMlp + std::string("--precision half --tap "
                                                      "loss_scale ");
  EXPECT_EQ(train(options + "--loss-scale 512").exitCode, 0);
  EXPECT_EQ(manifest()["loss_scale"].numberOr(0), 512);
  const auto exported = tests::runCommand(
      std::string(POPSCOPE_COMMAND) + " events export " +
      (directory.path() / "run").string() + " --tag '*/loss_scale/mean'");
  EXPECT_THAT(exported.output, HasSubstr(",9,512.0\r\n"));
  const auto resumed = train(options + "--resume");
  EXPECT_EQ(resumed.exitCode, 2);
  EXPECT_THAT(resumed.output, HasSubstr("loss scale 512"));
}

TEST_F(HealthRun, SaysWhichTapRecordsHistograms) {
  EXPECT_EQ(train(kShortMlp).exitCode, 0);
  const auto table = health("--format half");
  EXPECT_EQ(table.exitCode, 2);
  EXPECT_THAT(table.output, HasSubstr("no histograms were recorded; train with "
                                      "--tap '* -> shape'"));
  EXPECT_EQ(health("--format quarter").exitCode, 2);
  EXPECT_EQ(health("--scale 3").exitCode, 2);
}

TEST_F(HealthRun, TellsJsonLinesOfTheFirstBadTensor) {
  const auto result =
      train(kShortMlp + std::string("--inject inf:loss@update=2 --tap loss "
                                    "--inspect-json - 2>/dev/null"));
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output,
              HasSubstr("{\"first_not_finite\": {\"tensor\": \"loss\""));
}

} // namespace
} // namespace popscope::host
