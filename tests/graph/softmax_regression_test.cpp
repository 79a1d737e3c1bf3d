#include "graph/codelets.hpp"
#include "graph/softmax_regression.hpp"
#include "tests/support/reference_softmax_regression.hpp"

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace popscope::graph {
namespace {

constexpr std::size_t kClasses = 3;
constexpr float kRate = 0.5f;

tests::Batch smallBatch() {
  tests::Batch batch;
  batch.pixels = 4;
  batch.labels = {0, 1, 2, 1, 0};
  for (std::size_t i = 0; i < batch.labels.size() * batch.pixels; ++i)
    batch.images.push_back(float(std::sin(double(i * i))));
  return batch;
}

// One batch, trained on again and again.
class Machine {
public:
  Machine(const tests::Batch &batch, unsigned tiles)
      : device_(poplar::IPUModel("ipu2").createDevice()) {
    poplar::Graph whole(device_.getTarget());
    addCodelets(whole);
    poplar::Graph graph = whole.createVirtualGraph(tiles);
    SoftmaxRegressionSpec spec;
    spec.pixels = batch.pixels;
    spec.classes = kClasses;
    spec.batchSize = batch.labels.size();
    spec.learningRate = kRate;
    const SoftmaxRegression model = addSoftmaxRegression(graph, spec);
    graph.createHostWrite("images", model.images);
    graph.createHostWrite("labels", model.labels);
    graph.createHostRead("weights", model.weights);
    graph.createHostRead("losses", model.losses);
    graph.createHostRead("predictions", model.predictions);

    engine_ = std::make_unique<poplar::Engine>(
        whole,
        std::vector<poplar::program::Program>{model.forward, model.update});
    device_.attach();
    engine_->load(device_);
    engine_->writeTensor("images", batch.images.data(),
                         batch.images.data() + batch.images.size());
    engine_->writeTensor("labels", batch.labels.data(),
                         batch.labels.data() + batch.labels.size());
    weights_.resize(model.weights.numElements());
    losses_.resize(batch.labels.size());
    predictions_.resize(batch.labels.size());
  }

  void forward() { engine_->run(0); }
  void train(unsigned steps) {
    for (unsigned step = 0; step < steps; ++step) {
      engine_->run(0);
      engine_->run(1);
    }
  }

  const std::vector<float> &weights() { return read("weights", weights_); }
  const std::vector<float> &losses() { return read("losses", losses_); }
  const std::vector<unsigned> &predictions() {
    return read("predictions", predictions_);
  }

private:
  template <typename T>
  const std::vector<T> &read(const char *handle, std::vector<T> &buffer) {
    engine_->readTensor(handle, buffer.data(), buffer.data() + buffer.size());
    return buffer;
  }

  poplar::Device device_;
  std::unique_ptr<poplar::Engine> engine_;
  std::vector<float> weights_;
  std::vector<float> losses_;
  std::vector<unsigned> predictions_;
};

tests::ReferenceSoftmaxRegression
referenceOf(const std::vector<float> &weights) {
  return {kClasses, std::vector<double>(weights.begin(), weights.end())};
}

TEST(SoftmaxRegression, UntrainedLossIsTheLogarithmOfTheClasses) {
  Machine machine(smallBatch(), 2);
  machine.forward();
  for (const float loss : machine.losses())
    EXPECT_NEAR(loss, std::log(double(kClasses)), 1e-6);
}

TEST(SoftmaxRegression, LossAndPredictionMatchTheReference) {
  const tests::Batch batch = smallBatch();
  Machine machine(batch, 2);
  machine.train(4);
  machine.forward();
  const auto reference = referenceOf(machine.weights());
  for (std::size_t image = 0; image < batch.labels.size(); ++image) {
    EXPECT_NEAR(machine.losses()[image], reference.loss(batch, image), 1e-5);
    const std::vector<double> logits = reference.logits(batch, image);
    const auto best = std::max_element(logits.begin(), logits.end());
    EXPECT_EQ(machine.predictions()[image], best - logits.begin());
  }
}

TEST(SoftmaxRegression, UpdateDescendsTheGradientOfTheMeanLoss) {
  const tests::Batch batch = smallBatch();
  Machine machine(batch, 2);
  machine.train(3); // away from zero, where all classes are alike
  const std::vector<float> before = machine.weights();
  machine.train(1);
  const std::vector<float> after = machine.weights();
  const auto reference = referenceOf(before);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR((before[i] - after[i]) / kRate, reference.gradient(batch, i),
                1e-5)
        << i;
}

TEST(SoftmaxRegression, TrainingLearnsTheBatch) {
  const tests::Batch batch = smallBatch();
  Machine machine(batch, 2);
  machine.train(500);
  machine.forward();
  EXPECT_EQ(machine.predictions(), batch.labels);
}

TEST(SoftmaxRegression, ResultsDoNotDependOnTheNumberOfTiles) {
  const tests::Batch batch = smallBatch();
  Machine one(batch, 1);
  one.train(10);
  for (const unsigned tiles : {2u, 3u, 16u}) {
    Machine several(batch, tiles);
    several.train(10);
    EXPECT_EQ(several.weights(), one.weights()) << tiles;
  }
}

} // namespace
} // namespace popscope::graph
