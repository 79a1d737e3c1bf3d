// popscope train as users run it.
#include "train_command.hpp"

#include <regex>

namespace popscope {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

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

TEST_F(TrainCommand, ATrainingThatDivergesSaysNan) {
  const auto result = train(shortMlp + "--run r --learning-rate 1e30");
  EXPECT_EQ(result.exitCode, 0);
  EXPECT_THAT(result.output, HasSubstr("loss nan  accuracy"));
  EXPECT_THAT(contentOf(logs.path() / "r/log.csv"), HasSubstr(",nan,"));
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
