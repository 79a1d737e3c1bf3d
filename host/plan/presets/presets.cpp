#include "host/plan/presets/presets.hpp"

#include "graph/models.hpp"
#include "host/command.hpp"
#include "host/plan/presets/tutorial_preset.hpp"

#include <functional>

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

Preset mlp(const TutorialOptions &options) {
  Preset preset = make(graph::mlpModel(), graph::mlpOptimizer());
  preset.description = "dense layers in two pipeline stages, MNIST, tables";
  makeTutorial(preset, options);
  return preset;
}

Preset cnn() {
  Preset preset = make(graph::cnnModel(), graph::cnnOptimizer());
  preset.description = "three convolutions in two pipeline stages, MNIST";
  preset.batchesPerEpoch = 128;
  preset.batchesPerExecution = 128;
  preset.epochs = 50;
  preset.accumulation = 16;
  preset.pipelined = true;
  preset.metrics = {true, 3};
  preset.validation = ValidationSet::split;
  preset.validationEvery = 2;
  preset.callbacks.evaluate = Stagger{5};
  preset.callbacks.filters = Stagger{2};
  return preset;
}

Preset gmpCnn() {
  Preset preset = make(graph::gmpCnnModel(), graph::gmpCnnOptimizer());
  preset.description = "two convolutions, global max pooling, MNIST";
  preset.schedule =
      LearningRateSchedule(0.2f).then(6, 0.02f).then(11, 0.01f).then(21,
                                                                     0.005f);
  preset.batchSize = 128;
  preset.epochs = 25;
  preset.validation = ValidationSet::test;
  preset.callbacks.learningRate = true;
  return preset;
}

Preset fashion() {
  Preset preset = make(graph::fashionModel(), graph::fashionOptimizer());
  preset.description = "one hidden layer, Fashion-MNIST, confusion matrices";
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
  preset.description = "two layers with SELU, 8x8 digits, test sheets";
  preset.dataName = "digits";
  preset.format = DataFormat::digits;
  preset.batchSize.reset();
  preset.epochs = 3000;
  preset.callbacks.testCurves = Stagger{10, true};
  preset.callbacks.testSheet = Stagger{500, true};
  preset.callbacks.histograms = Stagger{100};
  return preset;
}

struct NamedPreset {
  std::string name;
  std::function<Preset(const TutorialOptions &)> make;
  bool takesTutorialOptions = false;
};

const std::vector<NamedPreset> &presets() {
  const auto plain = [](Preset (*make)()) {
    return [make](const TutorialOptions &) { return make(); };
  };
  static const std::vector<NamedPreset> kPresets{{"mlp", mlp, true},
                                                 {"cnn", plain(cnn)},
                                                 {"gmp-cnn", plain(gmpCnn)},
                                                 {"fashion", plain(fashion)},
                                                 {"digits", plain(digits)}};
  return kPresets;
}

} // namespace

std::vector<std::string> presetNames() {
  std::vector<std::string> names;
  for (const NamedPreset &preset : presets())
    names.push_back(preset.name);
  return names;
}

Preset presetNamed(const std::string &name, const TutorialOptions &tutorial) {
  std::string known;
  for (const NamedPreset &candidate : presets()) {
    known += (known.empty() ? "" : ", ") + candidate.name;
    if (candidate.name != name)
      continue;
    if (!tutorial.given.empty() && !candidate.takesTutorialOptions)
      throw BadInput(tutorial.given.front() + " is an option of --preset mlp");
    Preset preset = candidate.make(tutorial);
    preset.name = name;
    preset.title = "--preset " + name;
    return preset;
  }
  throw BadInput("--preset " + name + ": there are " + known);
}

} // namespace popscope::host
