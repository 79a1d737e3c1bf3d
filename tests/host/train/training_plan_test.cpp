#include "graph/model_shapes.hpp"
#include "host/command.hpp"
#include "host/train/stage_assignment.hpp"
#include "host/train/training_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <variant>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TrainingData imagesOf(std::size_t size, std::size_t side = 28) {
  TrainingData data;
  data.train.rows = data.train.columns = side;
  data.train.pixels.resize(size * side * side);
  data.train.labels.resize(size);
  data.classes = 10;
  return data;
}

TrainingPlan planOf(const TrainOptions &options, std::size_t images = 60000) {
  const Preset preset = choosePreset(options);
  return planTraining(
      preset, options,
      imagesOf(images, preset.format == DataFormat::digits ? 8 : 28));
}

TrainOptions preset(const std::string &name) {
  TrainOptions options;
  options.preset = name;
  return options;
}

std::string errorOf(const TrainOptions &options, std::size_t images = 60000) {
  try {
    planOf(options, images);
  } catch (const BadInput &error) {
    return error.what();
  }
  return "no error";
}

std::vector<unsigned> stagesOf(const graph::ModelSpec &model) {
  std::vector<unsigned> stages;
  for (const graph::LayerSpec &layer : model.layers)
    stages.push_back(layer.stage);
  return stages;
}

TEST(TrainingPlan, MlpIsTheTutorials) {
  const TrainingPlan plan = planOf(preset("mlp"));
  EXPECT_EQ(plan.spec.batchSize, 32u);
  EXPECT_EQ(plan.spec.accumulation, 4u);
  EXPECT_TRUE(plan.spec.pipelined);
  EXPECT_EQ(plan.ipus(), 2u);
  EXPECT_EQ(plan.stepsPerEpoch, 2000u);
  EXPECT_EQ(plan.epochs, 3u);
  EXPECT_EQ(plan.spec.accumulationMethod, graph::AccumulationMethod::sum);
  EXPECT_FLOAT_EQ(plan.schedule.at(0), 0.01f);
}

TEST(TrainingPlan, MlpWithoutPipeliningLosesALayerAndAccumulation) {
  TrainOptions options = preset("mlp");
  options.noPipelining = true;
  TrainingPlan plan = planOf(options);
  EXPECT_EQ(plan.spec.model.layers.size(), 3u);
  EXPECT_EQ(plan.spec.accumulation, 1u);
  EXPECT_FALSE(plan.spec.pipelined);
  options.useGradientAccumulation = true;
  EXPECT_EQ(planOf(options).spec.accumulation, 4u);
}

TEST(TrainingPlan, CnnHasItsMetricsAndSplit) {
  const TrainingPlan plan = planOf(preset("cnn"));
  EXPECT_EQ(plan.spec.accumulation, 16u);
  EXPECT_EQ(plan.stepsPerEpoch, 128u);
  EXPECT_TRUE(plan.preset.metrics.auc);
  EXPECT_EQ(plan.preset.metrics.topK, 3u);
  EXPECT_EQ(plan.preset.validation, ValidationSet::split);
  EXPECT_EQ(plan.preset.validationEvery, 2u);
  EXPECT_TRUE(std::holds_alternative<graph::RmsProp>(plan.spec.optimizer.kind));
}

TEST(TrainingPlan, GmpCnnFollowsItsScheduleUnlessARateIsGiven) {
  TrainOptions options = preset("gmp-cnn");
  const TrainingPlan plan = planOf(options);
  EXPECT_FLOAT_EQ(plan.schedule.at(5), 0.2f);
  EXPECT_FLOAT_EQ(plan.schedule.at(6), 0.02f);
  EXPECT_FLOAT_EQ(plan.schedule.at(11), 0.01f);
  EXPECT_FLOAT_EQ(plan.schedule.at(21), 0.005f);
  EXPECT_EQ(plan.stepsPerEpoch, 468u) << "one pass, the rest dropped";
  options.learningRates = LearningRateSchedule(0.5f);
  EXPECT_TRUE(planOf(options).schedule.isConstant());
}

TEST(TrainingPlan, DigitsTrainOnTheWholeSetAtOnce) {
  const TrainingPlan plan = planOf(preset("digits"), 1347);
  EXPECT_EQ(plan.spec.batchSize, 1347u);
  EXPECT_EQ(plan.stepsPerEpoch, 1u);
  EXPECT_EQ(plan.epochs, 3000u);
}

TEST(TrainingPlan, AnotherOptimizerBringsItsOwnRate) {
  TrainOptions options = preset("mlp");
  options.optimizer = OptimizerName::adam;
  EXPECT_FLOAT_EQ(planOf(options).schedule.at(0), 0.001f);
}

TEST(TrainingPlan, ReplicasShareThePass) {
  TrainOptions options = preset("fashion");
  options.replicas = 2;
  const TrainingPlan plan = planOf(options, 6400);
  EXPECT_EQ(plan.stepsPerEpoch, 100u);
  EXPECT_EQ(plan.ipus(), 2u);
}

TEST(TrainingPlan, NumbersThatDoNotGoTogetherAreRefused) {
  TrainOptions options = preset("mlp");
  options.batchSize = 101;
  EXPECT_THAT(errorOf(options, 100), HasSubstr("only 100 images"));
  options = preset("fashion");
  options.accumulation = 4;
  EXPECT_THAT(errorOf(options, 100), HasSubstr("takes 128 images"));
  options = preset("cnn");
  options.stepsPerEpoch = 24;
  EXPECT_THAT(errorOf(options), HasSubstr("not a multiple of the 16"));
}

TEST(TrainingPlan, ImagesOfAnotherSizeAreRefused) {
  const Preset cnn = presetNamed("cnn");
  EXPECT_THROW(planTraining(cnn, preset("cnn"), imagesOf(100, 8)), BadInput);
}

TEST(TrainingPlan, DescriptionTellsTrainingsApart) {
  TrainOptions options = preset("mlp");
  const std::string first = planOf(options).describe();
  options.epochs = 50;
  EXPECT_EQ(planOf(options).describe(), first) << "epochs may be added";
  options.seed = 2;
  EXPECT_NE(planOf(options).describe(), first);
  TrainingData data = imagesOf(60000);
  data.train.labels[59999] = 1;
  EXPECT_NE(
      planTraining(choosePreset(preset("mlp")), preset("mlp"), data).describe(),
      first);
}

TEST(StageAssignment, NumberKeepsTheModelsOwnStages) {
  graph::ModelSpec model = presetNamed("cnn").model;
  assignStages(model, "2");
  EXPECT_EQ(stagesOf(model), stagesOf(presetNamed("cnn").model));
}

TEST(StageAssignment, NumberSpreadsTheWeights) {
  graph::ModelSpec model = presetNamed("cnn").model;
  assignStages(model, "4");
  EXPECT_THAT(stagesOf(model), ElementsAre(0, 0, 1, 1, 2, 2, 2, 2, 3));
  assignStages(model, "1");
  EXPECT_EQ(graph::stageCount(model), 1u);
}

TEST(StageAssignment, NamesBeginStages) {
  graph::ModelSpec model = presetNamed("cnn").model;
  assignStages(model, "pool_0,dropout");
  EXPECT_THAT(stagesOf(model), ElementsAre(0, 1, 1, 1, 1, 1, 1, 2, 2));
}

TEST(Presets, UnknownNameListsTheKnown) {
  try {
    presetNamed("resnet");
    FAIL();
  } catch (const BadInput &error) {
    EXPECT_THAT(error.what(), HasSubstr("mlp, cnn, gmp-cnn, fashion"));
  }
}

} // namespace
} // namespace popscope::host
