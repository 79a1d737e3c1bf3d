// What the presets log, as their tutorials do.
#include "train_command.hpp"

#include <algorithm>
#include <set>

namespace popscope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

} // namespace
} // namespace popscope
