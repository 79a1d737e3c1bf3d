// The same training in different arrangements: accumulated, pipelined, in
// replicas, in half precision.
#include "graph/models.hpp"
#include "tests/graph/small_model.hpp"
#include "tests/graph/test_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

using tests::smallSpec;
using tests::TestTrainer;
using tests::TestTrainerOptions;
using Weights = std::map<std::string, std::vector<float>>;

// The largest difference of two runs' weights, relative to the largest weight.
double difference(const Weights &a, const Weights &b) {
  double result = 0.0;
  for (const auto &[name, values] : a) {
    const std::vector<float> &others = b.at(name);
    double largest = 0.0, apart = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, std::abs(double(values[i])));
      apart = std::max(apart, std::abs(double(values[i]) - double(others[i])));
    }
    result = std::max(result, apart / largest);
  }
  return result;
}

// Sums of the same terms in another order: a few units in the last place, over
// the steps of a test.
constexpr double kOtherOrder = 1e-5;

TestTrainerOptions onIpus(unsigned ipus) {
  TestTrainerOptions options;
  options.ipusPerReplica = ipus;
  return options;
}

TEST(EqualRuns, AccumulatedMeanIsTheLargerBatch) {
  TrainingSpec whole = smallSpec();
  whole.batchSize = 12;
  TrainingSpec parts = smallSpec();
  parts.accumulation = 3;
  parts.accumulationMethod = AccumulationMethod::mean;
  TestTrainer one(whole), three(parts);
  one.train(10);
  three.train(10);
  EXPECT_LT(difference(one.weights(), three.weights()), kOtherOrder);
}

TEST(EqualRuns, RunningMeanIsTheMean) {
  TrainingSpec spec = smallSpec();
  spec.accumulation = 5;
  spec.accumulationMethod = AccumulationMethod::mean;
  TestTrainer mean(spec);
  spec.accumulationMethod = AccumulationMethod::runningMean;
  TestTrainer running(spec);
  mean.train(10);
  running.train(10);
  EXPECT_LT(difference(mean.weights(), running.weights()), kOtherOrder);
}

TEST(EqualRuns, AccumulatedSumIsTheMeanWithAHigherRate) {
  TrainingSpec spec = smallSpec();
  spec.accumulation = 4;
  TestTrainer sum(spec);
  spec.accumulationMethod = AccumulationMethod::mean;
  spec.optimizer.learningRate *= 4.0f;
  TestTrainer mean(spec);
  sum.train(10);
  mean.train(10);
  // A factor of four changes exponents only.
  EXPECT_EQ(sum.weights(), mean.weights());
}

// The bits of a pipelined run and of one on a single IPU.
void expectPipelineChangesNothing(TrainingSpec spec, unsigned stages,
                                  unsigned updates) {
  TestTrainer plain(spec);
  spec.pipelined = true;
  TestTrainer pipelined(spec, onIpus(stages));
  plain.train(updates);
  pipelined.train(updates);
  EXPECT_EQ(plain.losses(), pipelined.losses());
  EXPECT_TRUE(plain.weights() == pipelined.weights());
  EXPECT_EQ(plain.predict(), pipelined.predict());
}

TEST(EqualRuns, PipelineChangesNoBit) {
  for (const unsigned accumulation : {1u, 2u, 3u, 8u}) {
    SCOPED_TRACE(accumulation);
    TrainingSpec spec = smallSpec();
    spec.accumulation = accumulation;
    expectPipelineChangesNothing(spec, 2, 5);
  }
}

TEST(EqualRuns, PipelineOfFourStagesChangesNoBit) {
  TrainingSpec spec = smallSpec();
  for (unsigned i = 0; i < 5; ++i)
    spec.model.layers[i].stage = std::min(i, 3u);
  for (const unsigned accumulation : {1u, 4u, 9u}) {
    SCOPED_TRACE(accumulation);
    spec.accumulation = accumulation;
    expectPipelineChangesNothing(spec, 4, 3);
  }
}

TEST(EqualRuns, PipelineKeepsTheMaskOfADropoutInAnEarlierStage) {
  TrainingSpec spec = smallSpec();
  spec.model.layers.insert(spec.model.layers.begin() + 2,
                           {"dropout", Dropout{0.5f}, 0});
  spec.accumulation = 6;
  expectPipelineChangesNothing(spec, 2, 4);
}

TEST(EqualRuns, PipelineOfEachNamedModelChangesNoBit) {
  TrainingSpec mlp, cnn;
  mlp.model = mlpModel();
  mlp.optimizer = mlpOptimizer();
  cnn.model = cnnModel();
  cnn.optimizer = cnnOptimizer();
  for (TrainingSpec spec : {mlp, cnn}) {
    SCOPED_TRACE(spec.model.name);
    spec.batchSize = 2;
    spec.accumulation = 4;
    expectPipelineChangesNothing(spec, 2, 2);
  }
}

TEST(EqualRuns, FirstStageNeedsNoVariables) {
  TrainingSpec spec = smallSpec();
  spec.model.input = {8};
  spec.model.layers = {{"dropout", Dropout{0.2f}, 0},
                       {"hidden", Dense{12, Activation::relu}, 1},
                       {"out", Dense{10, Activation::softmax}, 1}};
  spec.accumulation = 3;
  expectPipelineChangesNothing(spec, 2, 4);
}

TestTrainerOptions inReplicas(unsigned replicas, unsigned ipus = 1) {
  TestTrainerOptions options;
  options.replicas = replicas;
  options.ipusPerReplica = ipus;
  return options;
}

TEST(EqualRuns, ReplicasAreMicroBatches) {
  TrainingSpec spec = smallSpec();
  for (const auto method :
       {AccumulationMethod::sum, AccumulationMethod::mean}) {
    spec.accumulationMethod = method;
    spec.accumulation = 4;
    TestTrainer one(spec);
    spec.accumulation = 2;
    TestTrainer two(spec, inReplicas(2));
    spec.accumulation = 1;
    TestTrainer four(spec, inReplicas(4));
    for (TestTrainer *trainer : {&one, &two, &four})
      trainer->train(10);
    EXPECT_LT(difference(one.weights(), two.weights()), kOtherOrder);
    EXPECT_LT(difference(one.weights(), four.weights()), kOtherOrder);
  }
}

TEST(EqualRuns, ReplicasKeepEqualWeights) {
  TrainingSpec spec = smallSpec();
  spec.model.layers.insert(spec.model.layers.begin() + 4,
                           {"dropout", Dropout{0.5f}, 1});
  spec.optimizer = {Adam{}, 0.01f};
  TestTrainer trainer(spec, inReplicas(3));
  trainer.train(10);
  for (const unsigned replica : {1u, 2u}) {
    EXPECT_EQ(trainer.weights(0), trainer.weights(replica));
    EXPECT_NE(trainer.losses(0), trainer.losses(replica));
  }
}

TEST(EqualRuns, ReplicasOfAPipelineChangeNoBit) {
  TrainingSpec spec = smallSpec();
  spec.accumulation = 3;
  TestTrainer plain(spec, inReplicas(2));
  spec.pipelined = true;
  TestTrainer pipelined(spec, inReplicas(2, 2));
  plain.train(5);
  pipelined.train(5);
  EXPECT_EQ(plain.weights(), pipelined.weights());
  EXPECT_EQ(plain.losses(1), pipelined.losses(1));
}

TEST(EqualRuns, LossScaleOfAPowerOfTwoChangesNoBit) {
  TrainingSpec spec = smallSpec();
  spec.accumulation = 2;
  TestTrainer plain(spec);
  spec.lossScale = 1024.0f;
  TestTrainer scaled(spec);
  plain.train(5);
  scaled.train(5);
  EXPECT_EQ(plain.weights(), scaled.weights());
}

TEST(EqualRuns, HalfIsCloseToFloat) {
  for (const unsigned accumulation : {1u, 3u}) {
    TrainingSpec spec = smallSpec();
    spec.accumulation = accumulation;
    TestTrainer wide(spec);
    spec.precision = poplar::HALF;
    spec.lossScale = 256.0f;
    TestTrainer half(spec);
    wide.train(10);
    half.train(10);
    // 11 significant bits, ten steps.
    EXPECT_LT(difference(wide.weights(), half.weights()), 0.01);
    EXPECT_GT(difference(wide.weights(), half.weights()), 0.0);
    for (std::size_t i = 0; i < wide.losses().size(); ++i)
      EXPECT_NEAR(half.losses()[i], wide.losses()[i], 0.01);
  }
}

TEST(EqualRuns, HalfOfNamedModelsIsCloseToFloat) {
  TrainingSpec spec;
  spec.batchSize = 4;
  for (const ModelSpec &model :
       {mlpModel(), cnnModel(), gmpCnnModel(), fashionModel(), digitsModel()}) {
    SCOPED_TRACE(model.name);
    spec.model = model;
    spec.precision = poplar::FLOAT;
    spec.lossScale = 1.0f;
    TestTrainer wide(spec);
    spec.precision = poplar::HALF;
    spec.lossScale = 128.0f;
    TestTrainer half(spec);
    wide.train(3);
    half.train(3);
    // A bias starts at zero and so is all gradient; of the maxima of a window,
    // more are equal in HALF and share it.
    EXPECT_LT(difference(wide.weights(), half.weights()), 0.05);
    for (std::size_t i = 0; i < wide.losses().size(); ++i)
      EXPECT_NEAR(half.losses()[i], wide.losses()[i], 0.01);
  }
}

TEST(EqualRuns, HalfInAPipelineChangesNoBit) {
  TrainingSpec spec = smallSpec();
  spec.precision = poplar::HALF;
  spec.lossScale = 64.0f;
  spec.accumulation = 4;
  expectPipelineChangesNothing(spec, 2, 3);
}

} // namespace
} // namespace popscope::graph
