// Gradients against finite differences of the loss.
#include "tests/graph/test_trainer.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace popscope::graph {
namespace {

using tests::TestTrainer;
using tests::TestTrainerOptions;

// Trained by steps of rate one on one batch, a weight changes by its gradient.
TrainingSpec oneStepSpec(std::vector<LayerSpec> layers,
                         std::vector<std::size_t> input) {
  TrainingSpec spec;
  spec.model = {"net", std::move(input), std::move(layers)};
  spec.optimizer = {Sgd{}, 1.0f};
  spec.batchSize = 3;
  return spec;
}

// Compares every weight's gradient with a difference of the loss on both sides.
// Where the loss has a kink between the two, as ReLU and pooling give it, the
// two one-sided differences disagree and prove nothing.
void expectGradientsOfTheLoss(const TrainingSpec &spec) {
  TestTrainerOptions options;
  options.distinctImages = spec.batchSize;
  TestTrainer trainer(spec, options);
  // Biases at zero put ReLU's kink where many activations are.
  for (const StateTensor &tensor : trainer.state())
    if (tensor.trainable && tensor.shape.size() == 1)
      trainer.write(tensor.name,
                    std::vector<float>(tests::elements(tensor.shape), 0.05f));
  const auto weights = trainer.weights();
  trainer.train();
  const double loss = trainer.losses().back();
  const auto changed = trainer.weights();
  trainer.write(kLearningRate, std::vector<float>{0.0f});

  const auto lossAt = [&](const std::string &name, std::size_t i, float by) {
    for (const auto &[other, values] : weights)
      trainer.write(other, values);
    std::vector<float> moved = weights.at(name);
    moved[i] += by;
    trainer.write(name, moved);
    trainer.train();
    return trainer.losses().back();
  };
  constexpr float kStep = 1.0f / 256.0f;
  std::size_t compared = 0, total = 0;
  for (const auto &[name, values] : weights)
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double up = (lossAt(name, i, kStep) - loss) / double(kStep);
      const double down = (loss - lossAt(name, i, -kStep)) / double(kStep);
      ++total;
      if (std::abs(up - down) > 0.02 * (std::abs(up) + std::abs(down)) + 1e-3)
        continue;
      ++compared;
      const double gradient = double(values[i]) - double(changed.at(name)[i]);
      EXPECT_NEAR(gradient, (up + down) / 2.0, 1e-3 + 0.01 * std::abs(gradient))
          << name << " " << i;
    }
  EXPECT_GT(compared, total * 8 / 10);
}

TEST(Gradients, OfDenseLayersAreSlopesOfTheLoss) {
  expectGradientsOfTheLoss(
      oneStepSpec({{"relu", Dense{6, Activation::relu}, 0},
                   {"selu", Dense{5, Activation::selu}, 0},
                   {"linear", Dense{4, Activation::none}, 0},
                   {"out", Dense{10, Activation::softmax}, 0}},
                  {5}));
}

TEST(Gradients, OfConvolutionsAndPoolingAreSlopesOfTheLoss) {
  expectGradientsOfTheLoss(
      oneStepSpec({{"conv_0", Conv{3, 3, Activation::relu}, 0},
                   {"pool", MaxPool{2}, 0},
                   {"conv_1", Conv{4, 2, Activation::selu}, 0},
                   {"flatten", Flatten{}, 0},
                   {"out", Dense{10, Activation::softmax}, 0}},
                  {7, 8, 2}));
}

TEST(Gradients, OfGlobalPoolingAreSlopesOfTheLoss) {
  expectGradientsOfTheLoss(
      oneStepSpec({{"conv_0", Conv{3, 3, Activation::none}, 0},
                   {"pool", GlobalMaxPool{}, 0},
                   {"out", Dense{10, Activation::softmax}, 0}},
                  {5, 5, 1}));
}

} // namespace
} // namespace popscope::graph
