// Checks as users run them: during a training, and on its log.
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// Most of them fire in any training.
const char *const kFiring = R"({
  "spike": {"factor": 1, "warm_up": 1, "tensors": "kind:gradient | kind:loss"},
  "update_ratio": {"least": 0.001, "most": 0.001, "samples": 2},
  "dead_relu": {"zero_share": 0.3, "samples": 2},
  "vanishing": {"factor": 1, "layers": 2, "samples": 1},
  "exploding": {"factor": 1, "layers": 2, "samples": 1},
  "loss_not_falling": {"updates": 2, "fall": 0.3, "memory": 3},
  "frozen_weight": {"samples": 1},
  "gradient_noise": {"most": 0, "warm_up": 3},
  "replicas_part": {}})";

class ChecksRun : public testing::Test {
protected:
  std::string file(const std::string &json) {
    const std::string path = (directory.path() / "checks.json").string();
    std::ofstream(path) << json;
    return path;
  }
  tests::CommandResult train(const std::string &options) {
    return tests::runCommand(
        std::string(POPSCOPE_COMMAND) + " train --preset mlp --quiet --data " +
        POPSCOPE_DATA "/mnist --tiles 16 --steps-per-epoch 40 --logdir " +
        directory.path().string() + " --run run " + options);
  }
  tests::CommandResult health(const std::string &options = "") {
    return tests::runCommand(std::string(POPSCOPE_COMMAND) + " health " +
                             (directory.path() / "run").string() + " " +
                             options);
  }
  // The findings of the training, which popscope.json has, and those of the
  // same checks on its log.
  void expectSameFindings(const std::string &checks, const char *some) {
    const auto findings = [](const std::string &json, const char *next) {
      const std::size_t begin = json.rfind("\"findings\": [");
      return json.substr(begin, json.find(next, begin) - begin);
    };
    const std::string online = findings(health("--json").output, ", \"lines\"");
    const auto log = health("--json --rules " + checks);
    EXPECT_EQ(log.exitCode, 3) << log.output;
    EXPECT_EQ(findings(log.output, ", \"made\""), online);
    EXPECT_THAT(online, HasSubstr(some));
  }
  tests::TempDir directory;
};

TEST_F(ChecksRun, FindsTheSameInATrainingAndInItsLog) {
  const std::string checks = file(kFiring);
  const auto result = train("--epochs 1 --checks " + checks);
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("popscope: update_ratio: update 1, "));
  EXPECT_THAT(result.output, HasSubstr("findings of checks; to see them: "));
  expectSameFindings(checks, "\"check\": \"gradient_noise\"");
  const auto recorded = health();
  EXPECT_EQ(recorded.exitCode, 3);
  EXPECT_THAT(recorded.output, StartsWith("finite: all elements of "));
  EXPECT_THAT(recorded.output, HasSubstr("\nupdate_ratio: update 1, "));
}

TEST_F(ChecksRun, GoesOnAfterAResumeAsIfItHadNotStopped) {
  const std::string checks = file(kFiring);
  ASSERT_EQ(train("--epochs 1 --checks " + checks).exitCode, 0);
  const auto resumed = train("--epochs 2 --resume --checks " + checks);
  ASSERT_EQ(resumed.exitCode, 0) << resumed.output;
  // It was said by the first start.
  EXPECT_THAT(resumed.output, Not(HasSubstr("update_ratio: update 1, ")));
  expectSameFindings(checks, "\"last_update\": 19");
}

TEST_F(ChecksRun, NamesTheReplicaWithOneWrongBit) {
  const std::string checks = file(kFiring);
  const auto result = train(
      "--epochs 1 --replicas 2 --keep-apart --checks " + checks +
      " --inject flip:Dense_10/kernel:0@update=3,bit=0,index=7,replica=1");
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("further findings"));
  EXPECT_THAT(health().output,
              HasSubstr("replicas_part: update 3, Dense_10/kernel:0/replica_1: "
                        "replica 1 differs from replica 0: fingerprint is "));
  expectSameFindings(checks, "Dense_10/kernel:0/replica_1");
}

TEST_F(ChecksRun, StopsTheTrainingIfAnActionSaysSo) {
  const std::string checks =
      file(R"({"update_ratio": {"least": 1, "most": 1, "samples": 2,
                                "actions": ["mark", "stop"],
                                "escalate_after": 3}})");
  const auto result = train("--epochs 9 --checks " + checks);
  EXPECT_EQ(result.exitCode, 3) << result.output;
  EXPECT_THAT(result.output, HasSubstr("because of the check update_ratio"));
  EXPECT_EQ(health().exitCode, 3);
  const auto at = result.output.find("\nstopped in epoch 1 of 9, ");
  ASSERT_NE(at, std::string::npos) << result.output;
  const std::string line =
      result.output.substr(at, result.output.find('\n', at + 1) - at);
  for (int again = 0; again < 3; ++again)
    EXPECT_THAT(train("--epochs 9 --clean --checks " + checks).output,
                HasSubstr(line))
        << "however far behind the reading thread is";
}

// What control changes in the first epoch holds in the second, since all
// samples of an epoch are read before the next.
TEST_F(ChecksRun, WatchesATensorMoreCloselyAndDumpsIt) {
  const std::string checks =
      file(R"({"loss_not_falling": {"updates": 2, "fall": 0.9, "memory": 1,
                  "actions": ["sample", "dump"], "escalate_after": 1,
                  "sample_for": 1000}})");
  const auto result =
      train("--epochs 3 --tap 'loss @ every 2' --checks " + checks);
  EXPECT_EQ(result.exitCode, 0) << result.output;
  const auto exported = tests::runCommand(
      std::string(POPSCOPE_COMMAND) + " events export " +
      directory.path().string() + " --run run --tag '*/loss/mean'");
  for (const char *update : {",21,", ",23,", ",29,"})
    EXPECT_THAT(exported.output, HasSubstr(update));
  EXPECT_TRUE(std::filesystem::exists(directory.path() / "run/dump/loss.npy"))
      << result.output;
  EXPECT_EQ(
      train("--epochs 1 --clean --no-control --checks " + checks).exitCode, 2);
}

TEST_F(ChecksRun, SaysWhatALogLacks) {
  ASSERT_EQ(train("--epochs 1 --tap loss").exitCode, 0);
  const auto result = health("--rules default");
  EXPECT_EQ(result.exitCode, 0) << result.output;
  EXPECT_THAT(result.output,
              HasSubstr("\nnot checked: frozen_weight: no statistics of "
                        "'kind:weight'; add --tap 'kind:weight -> stats'\n"));
  EXPECT_THAT(result.output,
              HasSubstr("\nnothing found by dead_relu, vanishing, exploding, "
                        "spike, loss_not_falling\n"));
}

TEST_F(ChecksRun, RefusesWhatItCannotUse) {
  const auto refused = [&](const std::string &options, const char *why) {
    const auto result = train(options);
    EXPECT_EQ(result.exitCode, 2) << result.output;
    EXPECT_THAT(result.output, HasSubstr(why));
  };
  refused("--checks " + file(R"({"spike": {"facter": 3}})"),
          "/checks.json: spike: no setting 'facter'; did you mean factor?");
  refused("--checks /nowhere.json", "/nowhere.json: cannot be read");
  refused("--checks default --no-inspection",
          "--checks has no effect with --no-inspection");
  EXPECT_EQ(health("--rules default").exitCode, 2);
}

} // namespace
} // namespace popscope::host
