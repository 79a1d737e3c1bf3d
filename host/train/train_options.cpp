#include "host/train/train_options.hpp"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>

namespace popscope::host {

namespace {

// CLI11 reads "-1" as a very large unsigned number; these say what is wrong,
// or nothing.
std::string checkUnsigned(const std::string &text) {
  if (text.find_first_not_of("0123456789") != std::string::npos)
    return text + " is not a whole number";
  errno = 0;
  std::strtoull(text.c_str(), nullptr, 10);
  return errno == ERANGE ? text + " is too large" : "";
}

std::string checkCount(const std::string &text) {
  const bool zero = text.find_first_not_of('0') == std::string::npos;
  return zero ? text + " is too few" : checkUnsigned(text);
}

template <class T> struct NumberIn { using Type = T; };
template <class T> struct NumberIn<std::optional<T>> { using Type = T; };
template <class T> using Number = typename NumberIn<T>::Type;

template <class T>
CLI::Option *addCount(CLI::App &command, const std::string &name, T &value,
                      const std::string &help) {
  return command.add_option(name, value, help)
      ->check([](const std::string &text) {
        const std::string wrong = checkCount(text);
        const bool fits =
            !wrong.empty() || std::strtoull(text.c_str(), nullptr, 10) <=
                                  std::numeric_limits<Number<T>>::max();
        return fits ? wrong : text + " is too large";
      })
      ->type_name("N");
}

// A choice between words.
template <class Enum, class Target>
CLI::Option *addChoice(CLI::App &command, const std::string &name,
                       Target &target, const std::map<std::string, Enum> &words,
                       const std::string &help) {
  std::string list;
  for (const auto &word : words)
    list += (list.empty() ? "" : "|") + word.first;
  return command
      .add_option_function<std::string>(
          name,
          [&target, words, name, list](const std::string &word) {
            const auto found = words.find(word);
            if (found == words.end())
              throw CLI::ValidationError(name, word + " is not " + list);
            target = found->second;
          },
          help)
      ->type_name(list);
}

void addTraining(CLI::App &command, TrainOptions &options) {
  addCount(command, "--epochs", options.epochs, "Epochs to train for");
  addCount(command, "--steps-per-epoch", options.stepsPerEpoch,
           "Batches of an epoch; the set is repeated if it has fewer "
           "(default: one pass)");
  addCount(command, "--steps-per-execution", options.stepsPerExecution,
           "Batches the device runs before the host looks (default: those of "
           "one weight update)");
  addCount(command, "--batch-size", options.batchSize, "Images of a batch");
  command
      .add_option_function<std::string>(
          "--learning-rate",
          [&options](const std::string &text) {
            try {
              options.learningRates = LearningRateSchedule::parse(text);
            } catch (const std::invalid_argument &error) {
              throw CLI::ValidationError("--learning-rate", error.what());
            }
          },
          "Step size, and from later epochs on: 0.01,0.001@6; replaces the "
          "preset's schedule")
      ->type_name("RATE[,RATE@EPOCH...]");
  addChoice<OptimizerName>(command, "--optimizer", options.optimizer,
                           {{"sgd", OptimizerName::sgd},
                            {"rmsprop", OptimizerName::rmsProp},
                            {"adam", OptimizerName::adam}},
                           "With Keras' defaults");
  addCount(command, "--gradient-accumulation", options.accumulation,
           "Batches of one weight update");
  addChoice<graph::AccumulationMethod>(
      command, "--accumulation-method", options.accumulationMethod,
      {{"sum", graph::AccumulationMethod::sum},
       {"mean", graph::AccumulationMethod::mean},
       {"running-mean", graph::AccumulationMethod::runningMean}},
      "What is made of their gradients")
      ->default_str("sum");
  command
      .add_option("--seed", options.seed,
                  "Of the weights, the dropout and the order of the images")
      ->check(checkUnsigned)
      ->type_name("N")
      ->capture_default_str();
}

void addPlacement(CLI::App &command, TrainOptions &options) {
  command
      .add_option("--pipeline-stages", options.pipelineStages,
                  "Number of stages, each on an IPU of its own, or the layers "
                  "that begin one: conv_1,conv_2; 1 is no pipeline")
      ->type_name("N|LAYERS");
  addCount(command, "--replicas", options.replicas,
           "Copies of the model that train together")
      ->capture_default_str();
  addChoice<Precision>(
      command, "--precision", options.precision,
      {{"float", Precision::float32}, {"half", Precision::half}},
      "Of activations and gradients; weights are kept in float")
      ->default_str("float");
  addChoice<DeviceChoice>(command, "--device", options.device,
                          {{"auto", DeviceChoice::automatic},
                           {"ipu", DeviceChoice::ipu},
                           {"model", DeviceChoice::model}},
                          "auto: IPUs if enough are free, else the model")
      ->default_str("auto");
  addCount(command, "--tiles", options.tiles,
           "Tiles to use of each IPU (default: all)");
}

void addPlaces(CLI::App &command, TrainOptions &options) {
  command
      .add_option("--data", options.data,
                  "Directory with the data set (default: the bundled subset); "
                  "scripts/fetch_data gets the full ones")
      ->type_name("DIR");
  command
      .add_option("--logdir", options.logdir,
                  "Directory of all runs, for TensorBoard")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--run", options.run,
                  "Name of this run within it (default: the preset and the "
                  "time)")
      ->type_name("NAME");
  CLI::Option *resume = command.add_flag(
      "--resume", options.resume, "Go on with --run from its last checkpoint");
  command
      .add_flag("--clean", options.clean,
                "Delete what an earlier run of that name left")
      ->excludes(resume);
  addChoice<OnSummaryError>(
      command, "--on-summary-error", options.onSummaryError,
      {{"continue", OnSummaryError::goOn}, {"stop", OnSummaryError::stop}},
      "If a file of the run cannot be written: train on without it, or stop "
      "after the current execution")
      ->default_str("continue");
  command.add_flag("--quiet", options.quiet, "Print problems only");
  command
      .add_flag("--no-inspection", options.noInspection,
                "Tap nothing, whatever the preset or --tap says")
      ->group("Inspection");
  command
      .add_flag("--force", options.force,
                "Overwrite the file of --inspect-json if it exists")
      ->group("Inspection");
}

void addMlp(CLI::App &command, TrainOptions &options) {
  const auto grouped = [&options](CLI::Option *option) {
    return option->group("Preset mlp")
        ->each([&options, name = option->get_name()](const std::string &) {
          options.mlpOption = name;
        });
  };
  grouped(addChoice<ModelType>(command, "--model-type", options.modelType,
                               {{"Sequential", ModelType::sequential},
                                {"Model", ModelType::functional}},
                               "How the tutorial builds it"))
      ->default_str("Sequential");
  grouped(command.add_flag("--no-pipelining", options.noPipelining,
                           "One IPU, without Dense_256"));
  grouped(command.add_flag("--use-gradient-accumulation",
                           options.useGradientAccumulation,
                           "Without pipelining too"));
  grouped(command.add_flag("--outfeed-pre-accumulated-gradients",
                           options.outfeedPreAccumulatedGradients,
                           "Gradients of every batch, not of every update"));
  grouped(command
              .add_option("--gradients-filters", options.gradientsFilters,
                          "Gradients to show: parts of their names; none: all "
                          "(default: Dense_128)")
              ->type_name("NAME"));
  grouped(command
              .add_option("--activations-filters", options.activationsFilters,
                          "Activations to show, likewise (default: none)")
              ->type_name("NAME"));
}

} // namespace

void addTrainOptions(CLI::App &command, TrainOptions &options) {
  command
      .add_option("--preset", options.preset,
                  "mlp, cnn, gmp-cnn, fashion or digits")
      ->type_name("NAME")
      ->capture_default_str();
  addTraining(command, options);
  addPlacement(command, options);
  addPlaces(command, options);
  addInspectionOptions(command, options.inspection);
  addMlp(command, options);
}

} // namespace popscope::host
