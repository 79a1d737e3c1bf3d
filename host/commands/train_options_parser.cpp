#include "host/commands/train_options_parser.hpp"

#include "host/command.hpp"
#include "host/commands/inspection_options_parser.hpp"
#include "host/plan/presets/presets.hpp"
#include "host/terminal/typed_options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>

namespace popscope::host {

namespace {

float parseLossScale(const std::string &text) {
  constexpr float kMost = 0x1p24f;
  char *end = nullptr;
  const float scale = std::strtof(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(scale >= 1 / kMost && scale <= kMost))
    throw BadInput("--loss-scale " + text +
                   ": give a positive number up to 2^24, such as 256");
  return scale;
}

void addTraining(CLI::App &command, TrainOptions &options) {
  const auto grouped = [](CLI::Option *option) {
    return option->group("Training");
  };
  grouped(addCount(command, "--epochs", options.epochs,
                   "Epochs to train for (default: the preset's)"));
  grouped(addCount(command, "--steps-per-epoch", options.batchesPerEpoch,
                   "Batches of an epoch, on each replica; images are repeated "
                   "if the set has fewer (default: the preset's, or one pass "
                   "over the set)"));
  grouped(addCount(command, "--steps-per-execution",
                   options.batchesPerExecution,
                   "Batches of an execution; the host sees results after each "
                   "(default: the preset's, or those of one update; with "
                   "--on-alarm stop those of one update)"));
  grouped(addCount(command, "--batch-size", options.batchSize,
                   "Images of a batch, on each replica (default: the "
                   "preset's)"));
  grouped(addCount(command, "--gradient-accumulation", options.accumulation,
                   "Batches that make one update of the weights (default: the "
                   "preset's)"));
  using graph::AccumulationMethod;
  grouped(addChoice<AccumulationMethod>(
              command, "--accumulation-method", options.accumulationMethod,
              {{"sum", AccumulationMethod::sum},
               {"mean", AccumulationMethod::mean},
               {"running-mean", AccumulationMethod::runningMean}},
              "How the gradients of an update's batches and replicas are "
              "combined"))
      ->default_str("sum");
  grouped(addChoice<OptimizerName>(
      command, "--optimizer", options.optimizer,
      {{"sgd", OptimizerName::sgd},
       {"rmsprop", OptimizerName::rmsProp},
       {"adam", OptimizerName::adam}},
      "With the defaults of Keras (default: the preset's)"));
  grouped(command
              .add_option_function<std::string>(
                  "--learning-rate",
                  [&options](const std::string &text) {
                    try {
                      options.learningRates = LearningRateSchedule::parse(text);
                    } catch (const std::invalid_argument &error) {
                      throw BadInput(std::string("--learning-rate: ") +
                                     error.what());
                    }
                  },
                  "One rate, or several with the epochs, counted from 1, that "
                  "they begin at: 0.01,0.001@6 (default: the preset's, or that "
                  "of --optimizer)")
              ->type_name("RATE[,RATE@EPOCH...]"));
  grouped(addNumber(command, "--seed", options.seed, 0,
                    "Decides the first weights, the dropout and the order of "
                    "the images"));
}

void addPlacement(CLI::App &command, TrainOptions &options) {
  const auto grouped = [](CLI::Option *option) {
    return option->group("Device");
  };
  grouped(command
              .add_option("--pipeline-stages", options.pipelineStages,
                          "Number of stages, one IPU for each, or the layers "
                          "that begin a new one: conv_1,conv_2; 1 means no "
                          "pipeline (default: the preset's)")
              ->type_name("N|LAYERS"));
  grouped(addCount(command, "--replicas", options.replicas,
                   "Copies of the model that train together"));
  grouped(addChoice<Precision>(
              command, "--precision", options.precision,
              {{"float", Precision::float32}, {"half", Precision::half}},
              "Of activations and gradients; weights are kept in float"))
      ->default_str("float");
  grouped(command
              .add_option_function<std::string>(
                  "--loss-scale",
                  [&options](const std::string &text) {
                    options.lossScale = parseLossScale(text);
                  },
                  "With --precision half: by what gradients are multiplied "
                  "until they are added to float; popscope health RUN --format "
                  "half says what would be better")
              ->type_name("FACTOR")
              ->default_str("128"));
  grouped(addChoice<DeviceChoice>(command, "--device", options.device,
                                  {{"auto", DeviceChoice::automatic},
                                   {"ipu", DeviceChoice::ipu},
                                   {"model", DeviceChoice::model}},
                                  "auto: IPUs if enough are free, else the "
                                  "model, which runs on the CPU"))
      ->default_str("auto");
  grouped(addCount(command, "--tiles", options.tiles,
                   "Tiles to use of each IPU (default: all)"));
  grouped(command
              .add_option("--executable-cache", options.executableCache,
                          "Keep compiled programs in this directory, and load "
                          "one instead of compiling it again (default: what "
                          "the variable POPDIST_EXECUTABLE_CACHE_PATH says)")
              ->type_name("DIR"));
}

void addPlaces(CLI::App &command, TrainOptions &options) {
  const auto grouped = [](CLI::Option *option) {
    return option->group("Data and log");
  };
  grouped(command
              .add_option("--data", options.data,
                          "Directory of the data set (default: the subset that "
                          "comes with PopScope); scripts/fetch_data gets the "
                          "full sets")
              ->type_name("DIR"));
  grouped(command
              .add_option("--logdir", options.logdir,
                          "Directory of all runs, for TensorBoard")
              ->type_name("DIR")
              ->capture_default_str());
  grouped(command
              .add_option("--run", options.run,
                          "Name of this run in --logdir (default: the preset "
                          "and the time)")
              ->type_name("NAME"));
  grouped(addCount(command, "--projector", options.projectorImages,
                   "Show the first N test images on TensorBoard's Projector "
                   "page, by what the trained model makes of them"));
  grouped(addNumber(command, "--checkpoint-every", options.checkpointEvery, 0,
                    "Save the state that --resume goes on from when so many "
                    "seconds have passed, also within an epoch; 0 is after "
                    "each execution")
              ->type_name("SECONDS"));
  grouped(command
              .add_option_function<std::string>(
                  "--resume",
                  [&options](const std::string &run) {
                    options.resume = true;
                    options.resumedRun = run;
                  },
                  "Continue the run in this directory from its last "
                  "checkpoint, with the options it has; others that are given "
                  "change them. Without a directory, continue --run, with the "
                  "options given")
              ->expected(0, 1)
              ->type_name("RUN"));
  grouped(command.add_flag("--clean", options.clean,
                           "Delete an earlier log of --run first"));
  grouped(addChoice<OnSummaryError>(command, "--on-summary-error",
                                    options.onSummaryError,
                                    {{"continue", OnSummaryError::goOn},
                                     {"stop", OnSummaryError::stop}},
                                    "If a file of the run cannot be written: "
                                    "train on without it, or stop "
                                    "after the current execution"))
      ->default_str("continue");
  grouped(command.add_flag("--quiet", options.quiet, "Print only problems"));
}

void addPeriods(CLI::App &command, PeriodOptions &options) {
  const auto add = [&command](const char *name, std::optional<unsigned> &every,
                              const std::string &help) {
    addNumber(command, name, every, 0,
              help + " every N epochs; 0 is never (default: the preset's)")
        ->group("Data and log");
  };
  add("--evaluate-every", options.evaluate,
      "Measure on the test set, as evaluation_<metric>,");
  add("--validate-every", options.validate, "Measure on the validation set");
  add("--filters-every", options.filters,
      "Draw the kernels of the convolutions");
  add("--histograms-every", options.histograms,
      "Write histograms of the weights");
}

void addTutorial(CLI::App &command, TutorialOptions &options) {
  const auto grouped = [&options](CLI::Option *option) {
    return option->group("Preset mlp")
        ->each([&options, name = option->get_name()](const std::string &) {
          options.given.push_back(name);
        });
  };
  grouped(addChoice<ModelType>(command, "--model-type", options.modelType,
                               {{"Sequential", ModelType::sequential},
                                {"Model", ModelType::functional}},
                               "As which kind of Keras model the tutorial "
                               "builds it"))
      ->default_str("Sequential");
  grouped(command.add_flag("--no-pipelining", options.noPipelining,
                           "Use one IPU, no accumulation, and a model without "
                           "Dense_256"));
  grouped(command.add_flag("--use-gradient-accumulation",
                           options.useGradientAccumulation,
                           "Accumulate even with --no-pipelining"));
  grouped(command.add_flag("--outfeed-pre-accumulated-gradients",
                           options.outfeedPreAccumulatedGradients,
                           "Show the gradients of every batch, not of every "
                           "update"));
  grouped(addWords(command, "--gradients-filters", options.gradientsFilters,
                   "NAME",
                   "Show gradients with one of these in their names; none "
                   "shows all"))
      ->default_str("Dense_128");
  grouped(addWords(command, "--activations-filters", options.activationsFilters,
                   "NAME", "The same for activations"))
      ->default_str("none");
}

} // namespace

void addTrainOptions(CLI::App &command, TrainOptions &options) {
  command.add_option("--preset", options.preset, "Training to start from")
      ->type_name(CLI::detail::join(presetNames(), "|"))
      ->default_str("cnn");
  command
      .add_option("--model", options.model,
                  "Training of your own instead, as JSON; popscope presets "
                  "--show prints a preset in this form")
      ->type_name("FILE");
  addTraining(command, options);
  addPlacement(command, options);
  addPlaces(command, options);
  addPeriods(command, options.periods);
  command
      .add_flag("--no-inspection", options.noInspection,
                "Tap nothing, whatever the preset or --tap says")
      ->group("Inspection");
  addInspectionOptions(command, options.inspection);
  command
      .add_flag("--force", options.force,
                "Overwrite the file of --inspect-json if it exists")
      ->group("Inspection");
  addTutorial(command, options.tutorial);
}

std::vector<std::string> withFaultsMarked(std::vector<std::string> words) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i].rfind("-inf:", 0) == 0 && words[i - 1] != "--inject")
      words[i] = "--inject=" + words[i];
  return words;
}

} // namespace popscope::host
