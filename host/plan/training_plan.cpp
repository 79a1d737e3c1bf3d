#include "host/plan/training_plan.hpp"

#include "graph/model_shapes.hpp"
#include "host/command.hpp"
#include "host/data/digits.hpp"
#include "host/plan/batch_counts.hpp"
#include "host/plan/periods.hpp"
#include "host/plan/presets/model_file.hpp"
#include "host/plan/presets/model_words.hpp"
#include "host/plan/presets/preset_json.hpp"
#include "host/plan/stage_assignment.hpp"
#include "summary/records/crc32c.hpp"
#include "text/number_text.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace popscope::host {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t kDigitsSplitSeed = 0; // the tutorial's random_state
constexpr double kValidationShare = 0.2;
constexpr float kHalfLossScale = 128.0f;

// Beside the program if not in the working directory: a build has data/ three
// levels up, an installation in share/.
std::string bundledData(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return name;
  const fs::path local = fs::path("data") / name;
  std::error_code ignored;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  for (const fs::path &candidate :
       {local, program.parent_path() / "../share/popscope/data" / name,
        program.parent_path() / "../../../data" / name})
    if (fs::is_directory(candidate, ignored))
      return candidate.lexically_normal().string();
  return local.string();
}

graph::OptimizerSpec optimizerNamed(OptimizerName name) {
  switch (name) {
  case OptimizerName::sgd:
    return {graph::Sgd{}, 0.01f};
  case OptimizerName::rmsProp:
    return {graph::RmsProp{}, 0.001f};
  case OptimizerName::adam:
    return {graph::Adam{}, 0.001f};
  }
  return {};
}

void chooseOptimizer(TrainingPlan &plan, const TrainOptions &options) {
  plan.spec.optimizer = plan.preset.optimizer;
  plan.schedule = plan.preset.schedule;
  if (options.optimizer) {
    plan.spec.optimizer = optimizerNamed(*options.optimizer);
    plan.schedule = LearningRateSchedule(plan.spec.optimizer.learningRate);
  }
  if (options.learningRates)
    plan.schedule = *options.learningRates;
  plan.spec.optimizer.learningRate = plan.schedule.at(0);
}

void chooseStages(TrainingPlan &plan, const TrainOptions &options) {
  plan.spec.model = plan.preset.model;
  plan.spec.pipelined = plan.preset.pipelined;
  if (!options.pipelineStages)
    return;
  assignStages(plan.spec.model, *options.pipelineStages);
  plan.spec.pipelined = graph::stageCount(plan.spec.model) > 1;
}

void checkImages(const TrainingPlan &plan, const TrainingData &data) {
  const std::string &preset = plan.preset.title;
  const std::vector<std::size_t> &input = plan.spec.model.input;
  const std::size_t wanted = graph::numElements(input);
  const bool isImage = input.size() == 3;
  if (data.train.imagePixels() != wanted ||
      (isImage && (input[0] != data.train.rows || input[2] != 1)))
    throw BadInput(preset + " takes images of " +
                   (isImage ? std::to_string(input[0]) + "x" +
                                  std::to_string(input[1]) + "x" +
                                  std::to_string(input[2])
                            : std::to_string(wanted)) +
                   " pixels, and those of the data set are " +
                   std::to_string(data.train.rows) + "x" +
                   std::to_string(data.train.columns));
  const std::size_t classes = plan.preset.classNames.size();
  if (data.classes > classes)
    throw BadInput("the last layer of " + preset + " has " +
                   std::to_string(classes) + " units, and the data set " +
                   std::to_string(data.classes) + " classes");
}

std::uint32_t checksumOf(const Dataset &set) {
  const auto crc = [](const auto &values) {
    return summary::crc32c({reinterpret_cast<const char *>(values.data()),
                            values.size() * sizeof(values[0])});
  };
  return crc(std::vector<std::uint32_t>{crc(set.pixels), crc(set.labels)});
}

} // namespace

unsigned TrainingPlan::ipus() const {
  return replicas * (spec.pipelined ? graph::stageCount(spec.model) : 1);
}

std::string TrainingPlan::describe() const {
  std::ostringstream text;
  text << "model " << spec.model.name << '\n';
  for (const graph::LayerSpec &layer : spec.model.layers)
    text << "layer " << layer.name << " stage " << layer.stage << '\n';
  // The name of a preset says all that a checkpoint depends on.
  if (preset.isOfFile())
    text << "of a file " << modelJson(preset) << '\n';
  text << "optimizer " << optimizerName(spec.optimizer) << '\n'
       << "learning rate " << schedule.text() << "\nbatch size "
       << spec.batchSize << "\naccumulation " << spec.accumulation
       << "\naccumulation method " << accumulationName(spec.accumulationMethod)
       << "\npipelined " << spec.pipelined << "\nprecision "
       << spec.precision.toString() << "\nreplicas " << replicas
       << "\nbatches per epoch " << batchesPerEpoch
       << "\nbatches per execution " << batchesPerExecution << "\nseed " << seed
       << "\nchecksum of the training set " << dataChecksum << '\n';
  // Checkpoints of versions without the option do not have it.
  if (spec.precision == poplar::HALF && spec.lossScale != kHalfLossScale)
    text << "loss scale " << text::shortestDecimal(spec.lossScale) << '\n';
  return text.str();
}

std::string optimizerName(const graph::OptimizerSpec &optimizer) {
  return optimizerWords()[optimizer.kind.index()];
}

const char *accumulationName(graph::AccumulationMethod method) {
  constexpr const char *kNames[] = {"sum", "mean", "running-mean"};
  return kNames[unsigned(method)];
}

std::string dataDirectory(const Preset &preset, const TrainOptions &options) {
  return options.data ? *options.data : bundledData(preset.dataName);
}

std::string executableCacheDirectory(const TrainOptions &options) {
  if (!options.executableCache.empty())
    return options.executableCache;
  const char *const variable = std::getenv("POPDIST_EXECUTABLE_CACHE_PATH");
  return variable ? variable : "";
}

TrainingData readData(const Preset &preset, const TrainOptions &options) {
  const std::string directory = dataDirectory(preset, options);
  TrainingData data = [&] {
    try {
      return preset.format == DataFormat::digits
                 ? readDigitsDirectory(directory, kDigitsSplitSeed)
                 : readIdxDirectory(directory);
    } catch (const BadInput &error) {
      if (options.data || options.model.empty())
        throw;
      throw BadInput(options.model + ": \"data\": " + error.what());
    }
  }();
  if (preset.validation == ValidationSet::split)
    splitValidation(data, kValidationShare);
  return data;
}

Preset choosePreset(const TrainOptions &options) {
  if (options.model.empty())
    return presetNamed(options.preset.value_or("cnn"), options.tutorial);
  if (options.preset)
    throw BadInput("--preset and --model both say what to train; give only "
                   "one of them");
  if (!options.tutorial.given.empty())
    throw BadInput(options.tutorial.given.front() +
                   " is an option of --preset mlp");
  return options.modelContent ? readModel(options.model, *options.modelContent)
                              : readModel(options.model);
}

TrainingPlan planTraining(const Preset &preset, const TrainOptions &options,
                          const TrainingData &data) {
  TrainingPlan plan;
  plan.preset = preset;
  plan.replicas = options.replicas;
  plan.epochs = options.epochs.value_or(preset.epochs);
  plan.seed = options.seed;
  plan.dataChecksum = checksumOf(data.train);
  plan.spec.accumulationMethod =
      options.accumulationMethod.value_or(graph::AccumulationMethod::sum);
  if (options.precision == Precision::half) {
    plan.spec.precision = poplar::HALF;
    plan.spec.lossScale = options.lossScale.value_or(kHalfLossScale);
  } else if (options.lossScale) {
    throw BadInput("--loss-scale has no effect without --precision half: "
                   "gradients in float do not need it");
  }
  plan.spec.outputsLogits =
      preset.callbacks.testSheet.has_value() || options.projectorImages;
  chooseOptimizer(plan, options);
  chooseStages(plan, options);
  choosePeriods(plan, options.periods);
  checkImages(plan, data);
  chooseBatchCounts(plan, options, data.train.size());
  plan.spec.predictBatchSize = std::min(
      plan.spec.batchSize, std::max(data.validation.size(), data.test.size()));
  plan.projectorImages = options.projectorImages.value_or(0);
  if (plan.projectorImages > data.test.size())
    throw BadInput("--projector " + std::to_string(plan.projectorImages) +
                   ": the test set has " + std::to_string(data.test.size()) +
                   " images");
  if (options.accumulationMethod && plan.spec.accumulation == 1 &&
      plan.replicas == 1)
    throw BadInput("--accumulation-method has no effect without "
                   "--gradient-accumulation or --replicas: an update has one "
                   "batch");
  return plan;
}

} // namespace popscope::host
