#include "host/train_command.hpp"

#include "host/dataset.hpp"
#include "host/device.hpp"
#include "host/progress.hpp"
#include "host/trainer.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace popscope::host {

namespace {

struct TrainOptions {
  std::string data = "data/mnist";
  unsigned epochs = 5;
  std::size_t batchSize = 50;
  float learningRate = 0.1f;
  std::uint64_t seed = 1;
  DeviceChoice device = DeviceChoice::automatic;
  unsigned tiles = 16;
};

// Fisher and Yates by hand: std::shuffle may differ between libraries, and a
// seed should mean the same run everywhere.
void shuffle(std::vector<std::size_t> &order, std::mt19937_64 &random) {
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
}

int train(const TrainOptions &options) {
  const TrainingData data = readIdxDirectory(options.data);
  if (options.batchSize > data.train.size())
    throw BadInput("--batch-size " + std::to_string(options.batchSize) +
                   ": the training set has only " +
                   std::to_string(data.train.size()) + " images");
  const poplar::Device device = openDevice(options.device);
  if (options.tiles > device.getTarget().getNumTiles())
    throw BadInput("--tiles " + std::to_string(options.tiles) +
                   ": the device has only " +
                   std::to_string(device.getTarget().getNumTiles()));

  std::cout << "data    " << options.data << ": " << data.train.size()
            << " training and " << data.test.size() << " test images of "
            << data.train.rows << "x" << data.train.columns << ", "
            << data.classes << " classes\n"
            << "device  " << describe(device) << ", " << options.tiles
            << " in use\n"
            << std::flush;

  graph::SoftmaxRegressionSpec spec;
  spec.pixels = data.train.imagePixels();
  spec.classes = data.classes;
  spec.batchSize = options.batchSize;
  spec.learningRate = options.learningRate;
  Trainer trainer(device, options.tiles, spec);

  std::mt19937_64 random(options.seed);
  std::vector<std::size_t> order(data.train.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  Progress progress(std::cout, progressStyleOfStdout());
  std::cout << std::fixed;
  for (unsigned epoch = 1; epoch <= options.epochs; ++epoch) {
    const std::string label =
        "epoch " + std::to_string(epoch) + "/" + std::to_string(options.epochs);
    shuffle(order, random);
    const double loss = trainer.trainEpoch(
        data.train, order, [&](std::size_t step, std::size_t steps) {
          progress.show(label, step, steps);
        });
    const double accuracy = trainer.accuracy(data.test);
    progress.clear();
    std::cout << label << "  loss " << std::setprecision(4) << loss
              << "  test accuracy " << std::setprecision(1) << 100.0 * accuracy
              << " %" << std::endl;
  }
  return exitOk;
}

DeviceChoice parseDevice(const std::string &name) {
  if (name == "auto")
    return DeviceChoice::automatic;
  if (name == "ipu")
    return DeviceChoice::ipu;
  if (name == "model")
    return DeviceChoice::model;
  throw CLI::ValidationError("--device", name + " is not auto, ipu or model");
}

// CLI11 reads "-1" as a very large unsigned number, and has no word for
// "finite"; these say what is wrong, or nothing.
std::string checkUnsigned(const std::string &text) {
  const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : text + " is not a whole number";
}

std::string checkCount(const std::string &text) {
  const bool zero = text.find_first_not_of('0') == std::string::npos;
  return zero ? text + " is too few" : checkUnsigned(text);
}

std::string checkRate(const std::string &text) {
  float value = 0.0f;
  const bool positive = CLI::detail::lexical_cast(text, value) &&
                        std::isfinite(value) && value > 0.0f;
  return positive ? "" : text + " is not a positive number";
}

} // namespace

void addTrainCommand(CLI::App &app, Command &chosen) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App *command =
      app.add_subcommand("train", "Train softmax regression on an image set");
  command
      ->add_option("--data", options->data,
                   "The four IDX files of an MNIST-like set")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--epochs", options->epochs, "Passes over the data")
      ->check(checkCount)
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--batch-size", options->batchSize, "Images per step")
      ->check(checkCount)
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--learning-rate", options->learningRate, "Step size")
      ->check(checkRate)
      ->type_name("RATE")
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the shuffling")
      ->check(checkUnsigned)
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--device",
          [options](const std::string &name) {
            options->device = parseDevice(name);
          },
          "auto (an IPU if one is free, else the model), ipu, model")
      ->type_name("DEVICE")
      ->default_str("auto");
  command->add_option("--tiles", options->tiles, "Tiles to use")
      ->check(checkCount)
      ->type_name("N")
      ->capture_default_str();
  command->footer("Examples:\n"
                  "  popscope train\n"
                  "  popscope train --data data/fashion-mnist --epochs 10\n"
                  "  popscope train --device ipu --tiles 64 --batch-size 100");
  command->callback(
      [options, &chosen] { chosen = [options] { return train(*options); }; });
}

} // namespace popscope::host
