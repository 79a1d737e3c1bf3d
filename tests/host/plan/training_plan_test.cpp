#include "graph/model_shapes.hpp"
#include "host/command.hpp"
#include "host/plan/periods.hpp"
#include "host/plan/stage_assignment.hpp"
#include "host/plan/training_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <variant>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

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
  EXPECT_EQ(plan.batchesPerEpoch, 2000u);
  EXPECT_EQ(plan.epochs, 3u);
  EXPECT_EQ(plan.spec.accumulationMethod, graph::AccumulationMethod::sum);
  EXPECT_FLOAT_EQ(plan.schedule.at(0), 0.01f);
}

TEST(TrainingPlan, MlpWithoutPipeliningLosesALayerAndAccumulation) {
  TrainOptions options = preset("mlp");
  options.tutorial.noPipelining = true;
  TrainingPlan plan = planOf(options);
  EXPECT_EQ(plan.spec.model.layers.size(), 3u);
  EXPECT_EQ(plan.spec.accumulation, 1u);
  EXPECT_FALSE(plan.spec.pipelined);
  options.tutorial.useGradientAccumulation = true;
  EXPECT_EQ(planOf(options).spec.accumulation, 4u);
}

TEST(TrainingPlan, CnnIsTheTutorials) {
  const TrainingPlan plan = planOf(preset("cnn"));
  EXPECT_EQ(plan.spec.accumulation, 16u);
  EXPECT_EQ(plan.batchesPerEpoch, 128u);
  EXPECT_EQ(plan.batchesPerExecution, 128u);
  EXPECT_EQ(plan.epochs, 50u);
  EXPECT_TRUE(plan.preset.metrics.auc);
  EXPECT_EQ(plan.preset.metrics.topK, 3u);
  EXPECT_EQ(plan.preset.validation, ValidationSet::split);
  EXPECT_EQ(plan.preset.validationEvery, 2u);
  EXPECT_EQ(plan.preset.callbacks.evaluate->every, 5u);
  EXPECT_EQ(plan.preset.callbacks.filters->every, 2u);
  EXPECT_EQ(plan.preset.callbacks.histograms.every, 1u);
  EXPECT_TRUE(std::holds_alternative<graph::RmsProp>(plan.spec.optimizer.kind));
}

TEST(TrainingPlan, ExecutionsOfThePresetGiveWayToTheUsersNumbers) {
  TrainOptions options = preset("cnn");
  const auto executionOf = [&options](std::size_t epoch, unsigned update) {
    options.batchesPerEpoch = epoch;
    options.accumulation = update;
    return planOf(options).batchesPerExecution;
  };
  EXPECT_EQ(executionOf(256, 2), 128u);
  EXPECT_EQ(executionOf(96, 16), 32u) << "an epoch has whole executions";
  EXPECT_EQ(executionOf(100, 10), 10u) << "an execution has whole updates";
  options.batchesPerExecution = 50;
  EXPECT_EQ(executionOf(100, 10), 50u);
}

TEST(TrainingPlan, ATrainingThatMayStopLooksAfterEachUpdate) {
  TrainOptions options = preset("cnn");
  options.inspection.onAlarm = OnAlarm::stop;
  EXPECT_EQ(planOf(options).batchesPerExecution, 16u);
  EXPECT_EQ(planOf(options).spec.updatesPerRun, 1u);
  options.batchesPerExecution = 64;
  EXPECT_EQ(planOf(options).batchesPerExecution, 64u);
}

TEST(TrainingPlan, PeriodsReplaceThoseOfThePreset) {
  TrainOptions options = preset("cnn");
  options.periods = {7, 6, 3, 4};
  const Preset cnn = planOf(options).preset;
  EXPECT_EQ(cnn.callbacks.evaluate->every, 7u);
  EXPECT_EQ(cnn.validationEvery, 6u);
  EXPECT_EQ(cnn.callbacks.filters->every, 3u);
  EXPECT_EQ(cnn.callbacks.histograms.every, 4u);
  EXPECT_EQ(planOf(options).describe(), planOf(preset("cnn")).describe())
      << "the weights do not depend on them";
  options = preset("mlp");
  options.periods.evaluate = 1;
  EXPECT_EQ(planOf(options).preset.callbacks.evaluate->every, 1u);
}

TEST(TrainingPlan, PeriodOfZeroIsNever) {
  TrainOptions options = preset("cnn");
  options.periods = {0, 0, 0, 0};
  const Preset cnn = planOf(options).preset;
  EXPECT_FALSE(cnn.callbacks.evaluate || cnn.callbacks.filters);
  EXPECT_EQ(cnn.validation, ValidationSet::none);
  EXPECT_EQ(cnn.callbacks.histograms.every, 0u);
}

TEST(TrainingPlan, PeriodOfWhatAPresetNeverDoesIsPointedOut) {
  TrainOptions options = preset("mlp");
  options.periods.filters = 2;
  EXPECT_EQ(errorOf(options), "--filters-every has no effect with --preset "
                              "mlp, whose model has no convolutions");
  options = preset("digits");
  options.periods.validate = 0;
  EXPECT_EQ(errorOf(options, 1347),
            "--validate-every has no effect with --preset digits, which has no "
            "validation set; --evaluate-every measures on the test set");
}

TEST(TrainingPlan, PeriodLongerThanTheTrainingIsPointedOut) {
  TrainOptions options = preset("cnn");
  options.epochs = 1;
  options.periods = {2, 1, 4294967295, 0};
  EXPECT_THAT(
      periodsNeverDue(planOf(options), options.periods),
      ElementsAre("--evaluate-every 2: never due; the training has 1 epoch",
                  "--filters-every 4294967295: never due; the training has 1 "
                  "epoch"));
  EXPECT_THAT(periodsNeverDue(planOf(preset("cnn")), {}), IsEmpty());
}

TEST(TrainingPlan, GmpCnnFollowsItsScheduleUnlessARateIsGiven) {
  TrainOptions options = preset("gmp-cnn");
  const TrainingPlan plan = planOf(options);
  EXPECT_FLOAT_EQ(plan.schedule.at(5), 0.2f);
  EXPECT_FLOAT_EQ(plan.schedule.at(6), 0.02f);
  EXPECT_FLOAT_EQ(plan.schedule.at(11), 0.01f);
  EXPECT_FLOAT_EQ(plan.schedule.at(21), 0.005f);
  EXPECT_EQ(plan.batchesPerEpoch, 468u) << "one pass, the rest dropped";
  options.learningRates = LearningRateSchedule(0.5f);
  EXPECT_TRUE(planOf(options).schedule.isConstant());
}

TEST(TrainingPlan, DigitsTrainOnTheWholeSetAtOnce) {
  const TrainingPlan plan = planOf(preset("digits"), 1347);
  EXPECT_EQ(plan.spec.batchSize, 1347u);
  EXPECT_EQ(plan.batchesPerEpoch, 1u);
  EXPECT_EQ(plan.epochs, 3000u);
}

TEST(TrainingPlan, LogitsLeaveTheDeviceOnlyWhereAPictureShowsThem) {
  EXPECT_TRUE(planOf(preset("digits"), 1347).spec.outputsLogits);
  for (const char *name : {"mlp", "cnn", "gmp-cnn", "fashion"})
    EXPECT_FALSE(planOf(preset(name)).spec.outputsLogits) << name;
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
  EXPECT_EQ(plan.batchesPerEpoch, 100u);
  EXPECT_EQ(plan.ipus(), 2u);
}

TEST(TrainingPlan, SetThatIsTooSmallIsBlamedOnWhatWasGiven) {
  TrainOptions options = preset("mlp");
  EXPECT_EQ(errorOf(options, 20),
            "--preset mlp has batches of 32 images, and the training set has "
            "only 20; give a smaller --batch-size");
  options.batchSize = 101;
  EXPECT_EQ(errorOf(options, 100),
            "--batch-size 101: the training set has only 100 images");
  options = preset("fashion");
  options.accumulation = 4;
  EXPECT_EQ(errorOf(options, 100),
            "--gradient-accumulation 4: an update takes 128 images, and the "
            "training set has only 100; to repeat them, give --steps-per-epoch "
            "4");
  options.batchesPerEpoch = 4;
  EXPECT_EQ(errorOf(options, 100), "no error");
  options.replicas = 4;
  EXPECT_EQ(errorOf(options, 100),
            "--replicas 4: a batch for each takes 128 images, and the training "
            "set has only 100");
}

TEST(TrainingPlan, BatchesThatDoNotDivideAreBlamedOnWhatWasGiven) {
  TrainOptions options = preset("cnn");
  options.accumulation = 3;
  EXPECT_EQ(errorOf(options),
            "--gradient-accumulation 3: an epoch has 128 batches, which is not "
            "a multiple; try --steps-per-epoch 126 or 129 as well");
  options.batchesPerEpoch = 129;
  EXPECT_EQ(errorOf(options), "no error");
  options = preset("cnn");
  options.batchesPerEpoch = 24;
  EXPECT_EQ(errorOf(options),
            "--steps-per-epoch 24: not a multiple of the 16 batches of an "
            "update; try 16 or 32");
  options = preset("cnn");
  options.batchesPerExecution = 6;
  EXPECT_EQ(errorOf(options),
            "--steps-per-execution 6: not a multiple of the 16 batches of an "
            "update; try 16");
  options = preset("fashion");
  options.batchesPerExecution = 7;
  EXPECT_EQ(errorOf(options, 5000),
            "--steps-per-execution 7: an epoch has 156 batches, which is not a "
            "multiple; try --steps-per-epoch 154 or 161 as well");
  options.batchesPerEpoch = 20;
  EXPECT_EQ(errorOf(options, 5000),
            "--steps-per-epoch 20: not a multiple of the 7 batches of an "
            "execution; try 14 or 21");
}

TEST(TrainingPlan, MoreUpdatesThanCanBeCountedAreRefused) {
  TrainOptions options = preset("mlp"); // 500 updates an epoch
  options.epochs = 8589934;
  EXPECT_EQ(errorOf(options), "no error");
  options.epochs = 8589935;
  EXPECT_EQ(errorOf(options),
            "--epochs 8589935: too large: a training has at most 4294967295 "
            "updates, and an epoch 500");
  options = preset("mlp"); // three epochs
  options.batchesPerEpoch = 18446744073709551615u;
  EXPECT_EQ(errorOf(options),
            "--steps-per-epoch 18446744073709551615: too large: a training has "
            "at most 4294967295 updates, and an epoch 4611686018427387903");
}

TEST(TrainingPlan, MoreBatchesThanCanBeCountedAreRefused) {
  TrainOptions options = preset("fashion");
  options.epochs = options.accumulation = 4294967295;
  options.batchesPerEpoch = 4294967295;
  EXPECT_EQ(errorOf(options), "no error");
  options.replicas = 2;
  EXPECT_EQ(errorOf(options),
            "--epochs 4294967295: too large: a training has at most "
            "18446744073709551615 batches, and an epoch 4294967295");
}

TEST(TrainingPlan, AccumulationMethodOfASingleBatchIsPointedOut) {
  TrainOptions options = preset("fashion");
  options.accumulationMethod = graph::AccumulationMethod::mean;
  EXPECT_EQ(errorOf(options), "--accumulation-method has no effect without "
                              "--gradient-accumulation or --replicas: an "
                              "update has one batch");
  options.replicas = 2;
  EXPECT_EQ(errorOf(options), "no error");
  EXPECT_EQ(planOf(options).spec.accumulationMethod,
            graph::AccumulationMethod::mean);
}

TEST(TrainingPlan, ImagesOfAnotherSizeAreRefused) {
  const Preset cnn = presetNamed("cnn");
  EXPECT_THROW(planTraining(cnn, preset("cnn"), imagesOf(100, 8)), BadInput);
}

TEST(TrainingPlan, LossScaleIsThatOfHalf) {
  TrainOptions options = preset("mlp");
  EXPECT_EQ(planOf(options).spec.lossScale, 1.0f);
  options.lossScale = 512;
  EXPECT_EQ(errorOf(options),
            "--loss-scale has no effect without --precision half: gradients in "
            "float do not need it");
  options.precision = Precision::half;
  EXPECT_EQ(planOf(options).spec.lossScale, 512.0f);
  const std::string rescaled = planOf(options).describe();
  options.lossScale = 128;
  const std::string as128 = planOf(options).describe();
  EXPECT_NE(rescaled, as128) << "not to be resumed with another one";
  options.lossScale.reset();
  EXPECT_EQ(planOf(options).spec.lossScale, 128.0f);
  EXPECT_EQ(planOf(options).describe(), as128);
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

} // namespace
} // namespace popscope::host
