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

TEST(TrainingGraph, PredictsFewerImagesThanItTrainsOn) {
  TrainingSpec spec = smallSpec();
  TestTrainer all(spec);
  spec.predictBatchSize = 3;
  TestTrainer some(spec);
  all.train(5);
  some.train(5);
  const std::vector<float> probabilities = all.predict();
  const std::size_t classes = probabilities.size() / spec.batchSize;
  EXPECT_EQ(
      some.predict(),
      std::vector<float>(probabilities.begin(),
                         probabilities.begin() + std::ptrdiff_t(3 * classes)));
  EXPECT_EQ(some.weights(), all.weights());
}

TEST(TrainingGraph, LogitsAreWhatTheSoftmaxIsTakenOf) {
  // One dense layer, so that they are easy to compute.
  TrainingSpec spec = smallSpec();
  spec.model = {"one", {5}, {{"out", Dense{3, Activation::softmax}, 0}}};
  for (const poplar::Type &precision : {poplar::FLOAT, poplar::HALF}) {
    spec.precision = precision;
    spec.outputsLogits = true;
    TestTrainer trainer(spec);
    const std::vector<float> kernel = trainer.read("out/kernel:0");
    const std::vector<float> bias{1.0f, -2.0f, 0.5f};
    trainer.write("out/bias:0", bias);
    const std::vector<float> probabilities = trainer.predict();
    const double tolerance = precision == poplar::FLOAT ? 1e-6 : 5e-3;
    ASSERT_EQ(trainer.logits().size(), probabilities.size());
    for (std::size_t image = 0; image < spec.batchSize; ++image) {
      std::vector<double> logits(bias.begin(), bias.end());
      for (std::size_t out = 0; out < 3; ++out)
        for (std::size_t in = 0; in < 5; ++in)
          logits[out] += double(tests::pixel(image * 5 + in)) *
                         double(kernel[in * 3 + out]);
      for (std::size_t out = 0; out < 3; ++out)
        EXPECT_NEAR(trainer.logits()[image * 3 + out], logits[out], tolerance);
    }
  }
}

TEST(TrainingGraph, LogitsStayOnTheDeviceUnlessAskedFor) {
  TestTrainer trainer(smallSpec());
  EXPECT_THROW(trainer.engine().connectStreamToCallback(streams::kPredictLogits,
                                                        [](void *) {}),
               std::exception);
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
