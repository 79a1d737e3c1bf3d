#include "host/train/presets.hpp"

#include "graph/models.hpp"
#include "host/command.hpp"

#include <functional>
#include <map>

namespace popscope::host {

namespace {

std::vector<std::string> digitNames() {
  std::vector<std::string> names;
  for (char digit = '0'; digit <= '9'; ++digit)
    names.emplace_back(1, digit);
  return names;
}

Preset make(graph::ModelSpec model, graph::OptimizerSpec optimizer) {
  Preset preset;
  preset.model = std::move(model);
  preset.optimizer = optimizer;
  preset.schedule = LearningRateSchedule(optimizer.learningRate);
  preset.dataName = "mnist";
  preset.classNames = digitNames();
  preset.batchSize = 32;
  return preset;
}

Preset mlp() {
  Preset preset = make(graph::mlpModel(), graph::mlpOptimizer());
  preset.stepsPerEpoch = 2000;
  preset.epochs = 3;
  preset.accumulation = 4;
  preset.pipelined = true;
  return preset;
}

Preset cnn() {
  Preset preset = make(graph::cnnModel(), graph::cnnOptimizer());
  preset.stepsPerEpoch = 128;
  preset.epochs = 30;
  preset.accumulation = 16;
  preset.pipelined = true;
  preset.metrics = {true, 3};
  preset.validation = ValidationSet::split;
  preset.validationEvery = 2;
  preset.callbacks.evaluate = Stagger{2};
  preset.callbacks.filters = Stagger{2};
  return preset;
}

Preset gmpCnn() {
  Preset preset = make(graph::gmpCnnModel(), graph::gmpCnnOptimizer());
  preset.schedule =
      LearningRateSchedule(0.2f).then(6, 0.02f).then(11, 0.01f).then(21,
                                                                     0.005f);
  preset.batchSize = 128;
  preset.epochs = 25;
  preset.validation = ValidationSet::test;
  return preset;
}

Preset fashion() {
  Preset preset = make(graph::fashionModel(), graph::fashionOptimizer());
  preset.dataName = "fashion-mnist";
  preset.classNames = {"T-shirt/top", "Trouser",   "Pullover", "Dress",
                       "Coat",        "Sandal",    "Shirt",    "Sneaker",
                       "Bag",         "Ankle boot"};
  preset.epochs = 25;
  preset.validation = ValidationSet::test;
  preset.callbacks.confusionMatrix = Stagger{1};
  return preset;
}

Preset digits() {
  Preset preset = make(graph::digitsModel(), graph::digitsOptimizer());
  preset.dataName = "digits";
  preset.format = DataFormat::digits;
  preset.batchSize.reset();
  preset.epochs = 3000;
  preset.callbacks.testCurves = Stagger{10, true};
  preset.callbacks.testSheet = Stagger{500, true};
  preset.callbacks.histograms = Stagger{100};
  return preset;
}

} // namespace

Preset presetNamed(const std::string &name) {
  static const std::map<std::string, std::function<Preset()>> kPresets{
      {"mlp", mlp},
      {"cnn", cnn},
      {"gmp-cnn", gmpCnn},
      {"fashion", fashion},
      {"digits", digits}};
  const auto found = kPresets.find(name);
  if (found == kPresets.end())
    throw BadInput("--preset " + name +
                   ": there are mlp, cnn, gmp-cnn, fashion and digits");
  return found->second();
}

} // namespace popscope::host
