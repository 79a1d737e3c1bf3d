#include "graph/models.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/training_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

using tests::Machine;
using tests::MachineOptions;
using tests::smallSpec;

TrainingSpec specOf(ModelSpec model, OptimizerSpec optimizer) {
  TrainingSpec spec;
  spec.model = std::move(model);
  spec.optimizer = optimizer;
  spec.batchSize = 8;
  return spec;
}

TEST(TrainingGraph, StateIsTrainableFirstAndInTheOrderOfTheLayers) {
  Machine machine(specOf(cnnModel(), cnnOptimizer()));
  std::vector<std::string> names;
  for (const StateTensor &tensor : machine.state())
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
  EXPECT_THAT(machine.state()[2].shape, testing::ElementsAre(3, 3, 32, 64));
  EXPECT_TRUE(machine.state()[7].trainable);
  EXPECT_FALSE(machine.state()[8].trainable);
}

TEST(TrainingGraph, LearnsTheImagesItSeesAgainAndAgain) {
  MachineOptions options;
  options.distinctImages = 4;
  Machine machine(smallSpec(), options);
  machine.train(300);
  EXPECT_GT(machine.losses().front(), 1.0);
  EXPECT_LT(machine.losses().back(), 0.05);
}

TEST(TrainingGraph, PredictsWithTheTrainedWeights) {
  MachineOptions options;
  options.distinctImages = 4;
  Machine machine(smallSpec(), options);
  machine.train(50);
  machine.write(kLearningRate, std::vector<float>{0.0f});
  machine.train(); // leaves the weights as they are
  EXPECT_EQ(machine.predict(), machine.probabilities());
}

TEST(TrainingGraph, SeveralUpdatesOfARunAreThoseOfSeveralRuns) {
  TrainingSpec spec = smallSpec();
  Machine one(spec);
  one.train(6);
  spec.updatesPerRun = 3;
  Machine three(spec);
  three.train(2);
  EXPECT_EQ(one.losses(), three.losses());
  EXPECT_EQ(one.weights(), three.weights());
}

} // namespace
} // namespace popscope::graph
