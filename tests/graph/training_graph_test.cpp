#include "graph/models.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

using tests::smallSpec;
using tests::TestTrainer;
using tests::TestTrainerOptions;

TrainingSpec specOf(ModelSpec model, OptimizerSpec optimizer) {
  TrainingSpec spec;
  spec.model = std::move(model);
  spec.optimizer = optimizer;
  spec.batchSize = 8;
  return spec;
}

TEST(TrainingGraph, StateIsTrainableFirstAndInTheOrderOfTheLayers) {
  TestTrainer trainer(specOf(cnnModel(), cnnOptimizer()));
  std::vector<std::string> names;
  for (const StateTensor &tensor : trainer.state())
    names.push_back(tensor.name);
  EXPECT_THAT(names, testing::ElementsAre(
                         "conv_0/kernel:0", "conv_0/bias:0", "conv_1/kernel:0",
                         "conv_1/bias:0", "conv_2/kernel:0", "conv_2/bias:0",
                         "dense/kernel:0", "dense/bias:0", "dropout/seed",
                         "learning_rate", "conv_0/kernel:0/velocity",
                         "conv_0/bias:0/velocity", "conv_1/kernel:0/velocity",
                         "conv_1/bias:0/velocity", "conv_2/kernel:0/velocity",
                         "conv_2/bias:0/velocity", "dense/kernel:0/velocity",
                         "dense/bias:0/velocity"));
  EXPECT_THAT(trainer.state()[2].shape, testing::ElementsAre(3, 3, 32, 64));
  EXPECT_TRUE(trainer.state()[7].trainable);
  EXPECT_FALSE(trainer.state()[8].trainable);
}

TEST(TrainingGraph, LearnsTheImagesItSeesAgainAndAgain) {
  TestTrainerOptions options;
  options.distinctImages = 4;
  TestTrainer trainer(smallSpec(), options);
  trainer.train(300);
  EXPECT_GT(trainer.losses().front(), 1.0);
  EXPECT_LT(trainer.losses().back(), 0.05);
}

TEST(TrainingGraph, PredictsWithTheTrainedWeights) {
  TestTrainerOptions options;
  options.distinctImages = 4;
  TestTrainer trainer(smallSpec(), options);
  trainer.train(50);
  trainer.write(kLearningRate, std::vector<float>{0.0f});
  trainer.train(); // leaves the weights as they are
  EXPECT_EQ(trainer.predict(), trainer.probabilities());
}

TEST(TrainingGraph, SeveralUpdatesOfARunAreThoseOfSeveralRuns) {
  TrainingSpec spec = smallSpec();
  TestTrainer one(spec);
  one.train(6);
  spec.updatesPerRun = 3;
  TestTrainer three(spec);
  three.train(2);
  EXPECT_EQ(one.losses(), three.losses());
  EXPECT_EQ(one.weights(), three.weights());
}

} // namespace
} // namespace popscope::graph
