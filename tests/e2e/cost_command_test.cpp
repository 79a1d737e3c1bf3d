// What a training says of the cost of watching it, and a budget for it.
#include "tests/support/command.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"
#include "text/json_value.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr unsigned kEpochs = 4, kUpdatesPerEpoch = 500;

class CostOfWatching : public testing::Test {
protected:
  // Of an update per batch.
  tests::CommandResult train(const std::string &run,
                             const std::string &options) {
    return tests::runCommand(
        std::string(POPSCOPE_COMMAND) +
        " train --preset mlp --no-pipelining --data " POPSCOPE_DATA
        "/mnist --tiles 16 --batch-size 8 --logdir " +
        directory.path().string() + " --run " + run + " " + options);
  }
  static std::string longEnough() {
    return "--steps-per-execution 10 --epochs " + std::to_string(kEpochs) +
           " --steps-per-epoch " + std::to_string(kUpdatesPerEpoch) + " ";
  }
  std::string file(const std::string &path) const {
    std::ifstream stream(directory.path() / path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  text::JsonValue costOf(const std::string &run) const {
    return text::parseJson(file(run + "/popscope.json"))["cost"];
  }
  // The row of popscope.json that has this title.
  static text::JsonValue rowOf(const text::JsonValue &cost,
                               const std::string &title) {
    for (const text::JsonValue &row : cost["rows"].items())
      if (row["title"].stringOr("") == title)
        return row;
    return {};
  }
  // The lines of metrics after the training.
  static std::string results(const std::string &output) {
    const std::size_t begin = output.find("\n  metric ");
    return output.substr(begin, output.find("\n\n", begin + 1) - begin);
  }

  tests::TempDir directory;
};

TEST_F(CostOfWatching, IsToldOnTheTerminalInTheManifestAndInTensorBoard) {
  const auto result = train("run", "--epochs 1 --steps-per-epoch 40 --tap "
                                   "'kind:weight @ every 10 -> shape'");
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("cost of watching"));
  EXPECT_THAT(result.output, HasSubstr("the training was too short"));
  const text::JsonValue rule = rowOf(costOf("run"), "rule 1");
  EXPECT_EQ(rule["rule"].stringOr(""), "kind:weight @ every 10 -> shape");
  EXPECT_EQ(rule["tensors"].numberOr(0), 4);
  // Payload `shape` has 340 bytes, of four tensors at updates 0, 10, 20, 30.
  EXPECT_EQ(rule["bytes"].numberOr(0), 340 * 4 * 4);
  EXPECT_GT(rule["tile_bytes"].numberOr(0), 0);
  EXPECT_GT(rule["estimated_cycles"].numberOr(0), 0);
  EXPECT_TRUE(rule["time_share"].isNull());
  EXPECT_GT(rowOf(costOf("run"), "health")["bytes"].numberOr(0), 0);
  const auto cards = tests::valuesOf(tests::readRun(directory.path() / "run"),
                                     "cost_of_watching");
  ASSERT_EQ(cards.size(), 1u);
  EXPECT_THAT(cards[0].tensor().string_val(0),
              HasSubstr("rule 1: `kind:weight @ every 10 -> shape`"));
}

TEST_F(CostOfWatching, IsNotPrintedUnlessTheUserAskedForTaps) {
  const auto result = train("run", "--epochs 1 --steps-per-epoch 40");
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output, Not(HasSubstr("cost of watching")));
  EXPECT_GT(costOf("run")["bytes"].numberOr(0), 0);
}

TEST_F(CostOfWatching, HasARowForTheChecksAndTheRecorder) {
  const auto result = train("run", "--epochs 1 --steps-per-epoch 40 "
                                   "--recorder 4 --checks default");
  ASSERT_EQ(result.exitCode, 0) << result.output;
  EXPECT_GT(rowOf(costOf("run"), "checks")["bytes"].numberOr(0), 0);
  EXPECT_GT(rowOf(costOf("run"), "recorder")["tile_bytes"].numberOr(0), 0);
  EXPECT_THAT(result.output, HasSubstr("cannot be turned off"));
}

TEST_F(CostOfWatching, IsMeasuredByUpdatesOfWhichNothingIsLeft) {
  const std::string samples = (directory.path() / "samples.json").string();
  const auto plain = train("plain", longEnough() + "--no-inspection");
  const auto watched = train("watched", longEnough() + "--tap loss " +
                                            "--inspect-json " + samples);
  ASSERT_EQ(watched.exitCode, 0) << watched.output;
  const text::JsonValue rule = rowOf(costOf("watched"), "rule 1");
  EXPECT_FALSE(rule["time_share"].isNull());
  EXPECT_FALSE(rule["time_share_error"].isNull());
  EXPECT_THAT(watched.output, HasSubstr("more updates after the training"));
  EXPECT_EQ(rule["bytes"].numberOr(0), 80 * kEpochs * kUpdatesPerEpoch);
  EXPECT_EQ(results(watched.output), results(plain.output))
      << "weights are restored before they are tested";
  const std::string lines = file("samples.json");
  EXPECT_THAT(lines, HasSubstr("\"update\": 1999"));
  EXPECT_THAT(lines, Not(HasSubstr("\"update\": 2000")));
}

TEST_F(CostOfWatching, StaysWithinABudgetWithoutChangingAWeight) {
  const auto plain = train("plain", longEnough() + "--no-inspection");
  const auto kept = train("kept", longEnough() + "--tap '* -> shape' "
                                                 "--budget 0.001%");
  ASSERT_EQ(kept.exitCode, 0) << kept.output;
  EXPECT_EQ(results(kept.output), results(plain.output));
  EXPECT_THAT(kept.output, HasSubstr("budget of 0.001 %: "));
  const text::JsonValue cost = costOf("kept");
  EXPECT_THAT(cost["budget"].stringOr(""), HasSubstr("watching costs "));
  const text::JsonValue rule = rowOf(cost, "rule 1");
  EXPECT_FALSE(rule["time_share"].isNull());
  // It was off for a part of the time, if only to be measured.
  EXPECT_LT(rule["bytes"].numberOr(0),
            340 * rule["tensors"].numberOr(0) * kEpochs * kUpdatesPerEpoch);
}

TEST_F(CostOfWatching, RefusesABudgetThatItCannotKeep) {
  const auto refusal = [&](const std::string &options) {
    const auto result = train("refused", options);
    EXPECT_EQ(result.exitCode, 2) << options;
    return result.output;
  };
  EXPECT_EQ(refusal("--tap loss --budget 0.02"),
            "popscope: --budget 0.02: give a share of the training's time "
            "above 0% and up to 100%, such as 2%\n");
  EXPECT_EQ(refusal("--tap loss --budget 2% --no-control"),
            "popscope: --budget turns rules on and off to time them, which "
            "--no-control makes impossible; give only one of them\n");
}

} // namespace
} // namespace popscope::host
