// popscope replay has the bits of the run.
#include "tests/support/command.hpp"
#include "tests/support/temp_dir.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

namespace popscope::host {
namespace {

using testing::HasSubstr;

struct Training {
  const char *name;
  const char *options;
  unsigned updates;
};

// For the names of the tests.
void PrintTo(const Training &training, std::ostream *out) {
  *out << training.name;
}

class Replay : public testing::TestWithParam<Training> {
protected:
  tests::CommandResult popscope(const std::string &words) {
    return tests::runCommand(std::string(POPSCOPE_COMMAND) + " " + words);
  }
  tests::CommandResult train(const std::string &options) {
    return popscope("train --quiet --tiles 16 --logdir " + path("") +
                    " --run run " + options);
  }
  // Of one sample each, hash and all.
  std::set<std::string> lines(const std::string &file) {
    std::ifstream in(path(file));
    std::set<std::string> lines;
    for (std::string line; std::getline(in, line);)
      lines.insert(line);
    return lines;
  }
  std::string path(const std::string &file) {
    return (directory.path() / file).string();
  }
  tests::TempDir directory;
};

TEST_P(Replay, HasTheBitsOfTheRun) {
  const auto trained =
      train(std::string(GetParam().options) +
            " --tap '* -> identity' --inspect-json " + path("run.json"));
  ASSERT_EQ(trained.exitCode, 0) << trained.output;
  const std::set<std::string> run = lines("run.json");
  const std::size_t tensors = run.size() / GetParam().updates;
  ASSERT_GT(tensors, 10u);

  constexpr unsigned kSpans = 5, kUpdates = 4;
  std::mt19937 random(17);
  for (unsigned span = 0; span < kSpans; ++span) {
    const unsigned first =
        unsigned(random() % (GetParam().updates - kUpdates + 1));
    const auto replayed =
        popscope("replay " + path("run") +
                 " --quiet --clean --force --update " + std::to_string(first) +
                 " --to " + std::to_string(first + kUpdates - 1) +
                 " --inspect-json " + path("replay.json"));
    ASSERT_EQ(replayed.exitCode, 0) << replayed.output;
    const std::set<std::string> again = lines("replay.json");
    EXPECT_EQ(again.size(), kUpdates * tensors) << "from update " << first;
    for (const std::string &line : again)
      EXPECT_TRUE(run.count(line)) << line.substr(0, 100);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , Replay,
    testing::Values(
        Training{"PipelinedCnn",
                 "--preset cnn --gradient-accumulation 2 --epochs 2 "
                 "--steps-per-epoch 16",
                 16},
        Training{"CnnOfTwoReplicasInHalf",
                 "--preset cnn --pipeline-stages 1 --gradient-accumulation 2 "
                 "--replicas 2 --precision half --epochs 1 --steps-per-epoch "
                 "20 --steps-per-execution 10",
                 10},
        Training{"Mlp", "--preset mlp --epochs 2 --steps-per-epoch 40", 20},
        Training{"GmpCnn",
                 "--preset gmp-cnn --batch-size 16 --epochs 2 "
                 "--steps-per-epoch 6",
                 12},
        Training{"Fashion", "--preset fashion --epochs 2 --steps-per-epoch 10",
                 20},
        Training{"Digits", "--preset digits --epochs 12", 12}),
    testing::PrintToStringParamName());

class ReplayOfATraining : public Replay {};

TEST_F(ReplayOfATraining, BeginsAtTheFirstWeightsIfNoCheckpointIsBefore) {
  ASSERT_EQ(train("--preset mlp --epochs 1 --steps-per-epoch 40").exitCode, 0);
  const auto replayed = popscope("replay " + path("run") + " --update 3");
  EXPECT_THAT(replayed.output, HasSubstr("replay  from the first weights\n"));
  EXPECT_THAT(replayed.output, HasSubstr("update 3  loss "));
}

TEST_F(ReplayOfATraining, BeginsAtTheLastCheckpointBeforeATensorWasNotFinite) {
  ASSERT_EQ(train("--preset mlp --epochs 2 --steps-per-epoch 40 "
                  "--checkpoint-every 0 --inject nan:loss@update=15 2>&1")
                .exitCode,
            0);
  const auto replayed = popscope("replay " + path("run") + " --update 15");
  EXPECT_EQ(replayed.exitCode, 0) << replayed.output;
  EXPECT_THAT(
      replayed.output,
      HasSubstr("replay  from the checkpoint in epoch 2 of 2, after 20 "));
  EXPECT_THAT(replayed.output,
              HasSubstr("first not finite: update 15, micro-batch 0, loss"));
}

TEST_F(ReplayOfATraining, HasNoUpdatesThatTheTrainingHadNot) {
  ASSERT_EQ(train("--preset mlp --epochs 1 --steps-per-epoch 40").exitCode, 0);
  const auto outside = popscope("replay " + path("run") + " --update 10");
  EXPECT_EQ(outside.exitCode, 2);
  EXPECT_THAT(outside.output, HasSubstr("update 10: the training has 10 "
                                        "updates, counted from 0"));
}

TEST_F(ReplayOfATraining, DumpsWhatARuleAsksFor) {
  ASSERT_EQ(train("--preset mlp --epochs 1 --steps-per-epoch 40").exitCode, 0);
  const auto replayed =
      popscope("replay " + path("run") +
               " --update 5 --tap 'name:Dense_10_preacts -> full'");
  EXPECT_EQ(replayed.exitCode, 0) << replayed.output;
  std::ifstream index(path("run-replay-5/dump/Dense_10_preacts.index.csv"));
  std::string heading, row;
  std::getline(index, heading);
  std::getline(index, row);
  EXPECT_EQ(row.substr(0, 4), "0,5,");
}

TEST_F(ReplayOfATraining, NeedsARunAndUpdatesInOrder) {
  EXPECT_THAT(popscope("replay " + path("none") + " --update 1").output,
              HasSubstr("no popscope.json"));
  ASSERT_EQ(train("--preset mlp --epochs 1 --steps-per-epoch 40").exitCode, 0);
  const auto backwards =
      popscope("replay " + path("run") + " --update 5 --to 4");
  EXPECT_EQ(backwards.exitCode, 2);
  EXPECT_THAT(backwards.output, HasSubstr("--to 4 is before --update 5"));
  ASSERT_EQ(popscope("replay " + path("run") + " --update 5").exitCode, 0);
  const auto again = popscope("replay " + path("run-replay-5") + " --update 5");
  EXPECT_EQ(again.exitCode, 2);
  EXPECT_THAT(again.output, HasSubstr("popscope train did not write it"));
}

} // namespace
} // namespace popscope::host
