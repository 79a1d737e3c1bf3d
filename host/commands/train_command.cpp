#include "host/commands/recorded_options.hpp"
#include "host/commands/subcommands.hpp"
#include "host/commands/train_options_parser.hpp"
#include "host/plan/presets/presets.hpp"
#include "host/plan/started_instances.hpp"
#include "host/plan/training_plan.hpp"
#include "host/terminal/problem.hpp"
#include "host/train/dry_run.hpp"
#include "host/train/follower_run.hpp"
#include "host/train/training_run.hpp"

#include <chrono>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

namespace popscope::host {

namespace {

// Those that are not 0: "validation 2, filters 2".
std::string periodsOf(const Preset &preset) {
  const auto everyOf = [](const std::optional<Stagger> &stagger) {
    return stagger ? stagger->every : 0;
  };
  const bool validates = preset.validation != ValidationSet::none;
  const std::pair<const char *, unsigned> periods[] = {
      {"validation", validates ? preset.validationEvery : 0},
      {"evaluation", everyOf(preset.callbacks.evaluate)},
      {"filters", everyOf(preset.callbacks.filters)},
      {"histograms", preset.callbacks.histograms.every}};
  std::string text;
  for (const auto &[name, every] : periods)
    if (every != 0)
      text += (text.empty() ? "" : ", ") + std::string(name) + " " +
              std::to_string(every);
  return text;
}

// Four lines for each preset: what it is, and the numbers it has unless an
// option changes them.
std::string presetHelp() {
  std::ostringstream text;
  for (const std::string &name : presetNames()) {
    const Preset preset = presetNamed(name);
    text << "  " << std::left << std::setw(9) << name << preset.description
         << '\n'
         << std::string(11, ' ') << preset.epochs << " epochs of ";
    if (preset.batchesPerEpoch)
      text << *preset.batchesPerEpoch << " batches";
    else
      text << "one pass";
    if (preset.batchSize)
      text << ", " << *preset.batchSize << " images a batch";
    else
      text << " in one batch";
    if (preset.accumulation > 1)
      text << ", " << preset.accumulation << " batches an update";
    text << ";\n"
         << std::string(11, ' ') << optimizerName(preset.optimizer)
         << ", learning rate " << preset.schedule.text();
    if (preset.batchesPerExecution)
      text << "; " << *preset.batchesPerExecution << " batches an execution";
    text << ";\n"
         << std::string(11, ' ') << "every N epochs: " << periodsOf(preset)
         << '\n';
  }
  return text.str();
}

std::ostream &outputOf(const TrainOptions &options) {
  return options.inspection.jsonToStdout() ? std::cerr : std::cout;
}

// In the instance of this slice; without one there are no others, and replicas
// are as many as the options say.
int train(const TrainOptions &options,
          const std::vector<std::string> &commandLine,
          const std::optional<outfeed::ReplicaSlice> &slice) {
  ResumedTraining training{options, commandLine};
  if (!options.resumedRun.empty())
    training = resumedTraining(options, commandLine);
  unsigned &replicas = training.options.replicas;
  if (slice && replicas != 1 && replicas != slice->replicas && slice->isFirst())
    printProblem("--replicas " + std::to_string(replicas) +
                 " has no effect: poprun was told " +
                 std::to_string(slice->replicas));
  if (slice)
    replicas = slice->replicas;
  const std::unique_ptr<outfeed::Instances> instances =
      meetInstances(slice.value_or(outfeed::ReplicaSlice{1, 0, replicas}));
  return instances->slice().isFirst()
             ? runTraining(training.options, training.commandLine,
                           outputOf(training.options), *instances)
             : followTraining(training.options, *instances);
}

// What the first instance refuses it tells the user, and mpirun ends the
// others; one of them that refuses more waits for that, and then tells it.
int follow(const TrainOptions &options,
           const std::vector<std::string> &commandLine,
           const outfeed::ReplicaSlice &slice) {
  const std::string who = "instance " + std::to_string(slice.instance) + ": ";
  try {
    return train(options, commandLine, slice);
  } catch (const BadInput &error) {
    constexpr std::chrono::seconds kTimeOfFirst(3);
    std::this_thread::sleep_for(kTimeOfFirst);
    throw BadInput(who + error.what());
  } catch (const std::exception &error) {
    throw std::runtime_error(who + error.what());
  }
}

} // namespace

void addTrainCommand(CLI::App &app, Command &chosen,
                     const std::vector<std::string> &commandLine) {
  const auto options = std::make_shared<TrainOptions>();
  CLI::App *command =
      app.add_subcommand("train", "Train a model and log what happens");
  addTrainOptions(*command, *options);
  const auto isDry = std::make_shared<bool>(false);
  command
      ->add_flag("--dry-run", *isDry,
                 "Print the settings, the memory and what would be written; "
                 "train and write nothing")
      ->group("Training");
  const auto isCompileOnly = std::make_shared<bool>(false);
  command
      ->add_flag("--compile-only", *isCompileOnly,
                 "Compile for the device, which need not be there, into "
                 "--executable-cache; train nothing")
      ->excludes("--dry-run")
      ->group("Device");
  command->footer(
      "A batch is what the device computes at once, an update changes the "
      "weights, and\nan execution is one run of the engine.\n\n"
      "Epochs count from 1 on the screen and in options. log.csv and "
      "TensorBoard's axis\ncount them from 0, as Keras does; only the run "
      "'test' of preset digits counts\nfrom 1, as its tutorial does.\n\n"
      "Presets, and the numbers they have unless an option changes them:\n" +
      presetHelp() +
      "\nExamples:\n"
      "  popscope train --preset cnn\n"
      "  popscope train --preset mlp --epochs 5 --pipeline-stages 1\n"
      "  popscope train --preset fashion --data data/full/fashion-mnist\n"
      "  popscope train --resume logs/night --epochs 100\n"
      "  popscope train --model my.json\n"
      "  popscope train --preset cnn --tap '* -> shape' --budget 2%");
  command->callback([options, isDry, isCompileOnly, commandLine, &chosen] {
    chosen = [options, isDry, isCompileOnly, commandLine] {
      const auto slice = startedSlice();
      if (slice && !slice->isFirst())
        return *isDry || *isCompileOnly ? int(exitOk)
                                        : follow(*options, commandLine, *slice);
      if (slice && (*isCompileOnly || *isDry))
        options->replicas = slice->replicas;
      if (*isCompileOnly)
        return runCompileOnly(*options, outputOf(*options), slice);
      if (*isDry)
        return runDry(*options, outputOf(*options));
      return train(*options, commandLine, slice);
    };
  });
}

} // namespace popscope::host
