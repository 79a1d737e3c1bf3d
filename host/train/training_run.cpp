#include "host/train/training_run.hpp"

#include "host/callbacks/callback_thread.hpp"
#include "host/command.hpp"
#include "host/run/run_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/train/inspection.hpp"
#include "host/train/run_manifest.hpp"
#include "host/train/sample_file.hpp"
#include "host/train/trainer.hpp"
#include "host/train/training_callbacks.hpp"
#include "host/train/training_plan.hpp"
#include "host/train/training_progress.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"

#include <cstdint>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <unistd.h>

namespace popscope::host {

namespace {

// The same command, going on with the run.
std::string resumeCommand(const std::vector<std::string> &commandLine,
                          const std::string &run) {
  std::string text;
  bool hasRun = false;
  for (const std::string &word : commandLine) {
    if (word == "--clean" || word == "--resume" || word == "--force")
      continue;
    hasRun = hasRun || word.rfind("--run", 0) == 0;
    text += (text.empty() ? "" : " ") + text::shellWord(word);
  }
  return text + (hasRun ? "" : " --run " + text::shellWord(run)) + " --resume";
}

// "after epoch 3 of 10", "in epoch 4 of 10, after 20 of 400 steps".
std::string placeOf(std::uint64_t step, const TrainingPlan &plan) {
  const std::uint64_t epochs = step / plan.stepsPerEpoch;
  const std::uint64_t steps = step % plan.stepsPerEpoch;
  const std::string all = " of " + std::to_string(plan.epochs);
  if (steps == 0)
    return epochs == 0 ? "before the first step"
                       : "after epoch " + std::to_string(epochs) + all;
  return "in epoch " + std::to_string(epochs + 1) + all + ", after " +
         std::to_string(steps) + " of " + std::to_string(plan.stepsPerEpoch) +
         " steps";
}

void printIntroduction(std::ostream &out, const TrainingPlan &plan,
                       const TrainingData &data, const std::string &device,
                       const RunDirectory &run, const Checkpoint *from) {
  out << "data    " << text::withThousands(double(data.train.size()))
      << " training, ";
  if (data.validation.size())
    out << text::withThousands(double(data.validation.size()))
        << " validation, ";
  out << text::withThousands(double(data.test.size())) << " test images of "
      << data.train.rows << "x" << data.train.columns << ", " << data.classes
      << " classes\n"
      << "model   " << plan.spec.model.name << ", "
      << plan.spec.model.layers.size() << " layers";
  if (plan.spec.pipelined)
    out << " in " << plan.ipus() / plan.replicas << " pipeline stages";
  out << ", batch " << plan.spec.batchSize;
  if (plan.spec.accumulation > 1)
    out << ", " << plan.spec.accumulation << " batches accumulated";
  if (plan.replicas > 1)
    out << ", " << plan.replicas << " replicas";
  out << "\ndevice  " << device << "\nlog     " << run.path().string() << '\n';
  if (from && from->step == std::uint64_t(plan.epochs) * plan.stepsPerEpoch)
    out << "resume  " << placeOf(from->step, plan)
        << ": nothing is left to train; --epochs can ask for more\n";
  else if (from)
    out << "resume  " << placeOf(from->step, plan) << '\n';
  out << std::flush;
}

std::string cell(const MetricValues &metrics, std::size_t i) {
  return i < metrics.size() ? text::fourDecimals(metrics[i].value) : "-";
}

void printResults(std::ostream &out, const Trainer &trainer,
                  const MetricValues &test) {
  text::Table table({"metric", "training", "validation", "test"});
  for (std::size_t i = 0; i < test.size(); ++i)
    table.add({test[i].name, cell(trainer.lastTraining(), i),
               cell(trainer.lastValidation(), i), cell(test, i)});
  out << '\n';
  table.print(out, text::Layout::aligned);
}

TrainingProgressOptions progressOptions(const TrainingPlan &plan,
                                        const TrainOptions &options) {
  TrainingProgressOptions progress;
  if (!options.inspection.jsonToStdout())
    progress = trainingProgressOfStdout();
  if (options.quiet || options.inspection.watch)
    progress.style = TrainingProgressStyle::silent;
  progress.epochs = plan.epochs;
  progress.stepsPerEpoch = plan.stepsPerEpoch;
  progress.imagesPerStep = plan.imagesPerStep();
  return progress;
}

ExistingRun existingRun(const TrainOptions &options) {
  if (options.resume)
    return ExistingRun::resume;
  return options.clean ? ExistingRun::clean : ExistingRun::refuse;
}

// Of two descriptions with a line per thing.
std::string firstDifference(const std::string &before, const std::string &now) {
  std::istringstream linesBefore(before), linesNow(now);
  std::string was, is;
  while (std::getline(linesBefore, was) && std::getline(linesNow, is))
    if (was != is)
      return was + ", now " + is;
  return "another model";
}

std::optional<Checkpoint> checkpointOf(RunDirectory &run,
                                       const TrainingPlan &plan) {
  if (!run.isResumed())
    return std::nullopt;
  Checkpoint checkpoint = readCheckpoint(run.checkpoint());
  if (checkpoint.plan != plan.describe())
    throw BadInput("--resume: " + run.path().string() +
                   " was trained with other options: " +
                   firstDifference(checkpoint.plan, plan.describe()));
  if (checkpoint.step > std::uint64_t(plan.epochs) * plan.stepsPerEpoch)
    throw BadInput("--resume: " + run.path().string() + " has had " +
                   std::to_string(checkpoint.step / plan.stepsPerEpoch) +
                   " epochs already, more than --epochs " +
                   std::to_string(plan.epochs));
  run.setFirstEpoch(unsigned(checkpoint.step / plan.stepsPerEpoch));
  return checkpoint;
}

// One line, and on a terminal in the place of a progress bar.
void printProblem(const std::string &line) {
  std::cerr << (std::string(isatty(STDERR_FILENO) ? "\r\x1b[K" : "") +
                "popscope: " + line + "\n")
            << std::flush;
}

void reportManifest(RunReport &report, const std::filesystem::path &file,
                    const RunFacts &facts) {
  try {
    writeManifest(file, facts);
  } catch (const std::exception &error) {
    summary::WriteReport loss;
    loss.what = file.string();
    loss.error = reasonOf(error);
    report.update(loss, StepsAre::epochs);
  }
}

std::unique_ptr<ModelEngine> makeModel(const poplar::Device &device,
                                       const TrainingPlan &plan,
                                       TrainingObserver *observer) {
  try {
    return std::make_unique<ModelEngine>(device, plan.spec, plan.replicas,
                                         plan.seed, observer);
  } catch (const std::invalid_argument &error) {
    throw BadInput(error.what());
  }
}

} // namespace

int runTraining(const TrainOptions &options,
                const std::vector<std::string> &commandLine,
                std::ostream &out) {
  turnWriteSignalsIntoErrors();
  RunReport report(options.onSummaryError, printProblem);
  const Preset preset = choosePreset(options);
  if (options.resume && options.run.empty())
    throw BadInput("--resume needs --run, the name of the run to go on with");
  const TrainingData data = readData(preset, options);
  const TrainingPlan plan = planTraining(preset, options, data);
  std::optional<UnnamedRun> unnamed;
  if (options.run.empty())
    unnamed.emplace(options.logdir, options.preset);
  const std::string runName = unnamed ? unnamed->name() : options.run;
  const std::filesystem::path runPath =
      std::filesystem::path(options.logdir) / runName;
  checkSampleFile(options, {dataDirectory(preset, options), runPath});
  const poplar::Device device =
      openDevice(options.device, {plan.ipus(), options.tiles});
  Inspection inspection(options, plan, runPath.string(), report, out);
  TrainingObserver *const observer =
      inspection.isWanted() && !options.noInspection ? &inspection : nullptr;
  const std::unique_ptr<ModelEngine> model = makeModel(device, plan, observer);

  RunDirectory run(options.logdir, runName, existingRun(options), report);
  const std::optional<Checkpoint> checkpoint = checkpointOf(run, plan);
  if (checkpoint)
    inspection.resumeAt(
        model->engine(),
        std::uint32_t(checkpoint->step / plan.spec.accumulation),
        checkpoint->table);
  reportManifest(report, run.path() / "popscope.json",
                 {plan, data, *model, describe(device), commandLine});
  if (!options.quiet)
    printIntroduction(out, plan, data, describe(device), run,
                      checkpoint ? &*checkpoint : nullptr);
  if (observer)
    for (const std::string &line : inspection.neverDue())
      report.note(line);

  const InterruptGuard interrupt;
  CallbackThread callbacks(makeCallbacks(plan, data, run), report);
  TrainingProgress progress(out, progressOptions(plan, options));
  Trainer trainer(plan, {*model, data, run, callbacks, progress, observer, out},
                  checkpoint ? &*checkpoint : nullptr);
  const bool completed = trainer.train(interrupt);
  callbacks.finish();
  inspection.finish();

  if (completed && !options.quiet) {
    printResults(out, trainer, trainer.evaluate(data.test));
    out << "\nTo see it: ./scripts/tensorboard "
        << text::shellWord(options.logdir) << std::endl;
  }
  if (!completed)
    out << "stopped " << placeOf(trainer.step(), plan)
        << (report.isWhole() ? "; everything is written" : "")
        << ". To go on:\n  " << resumeCommand(commandLine, runName)
        << std::endl;
  report.checkStandardOutput(out);
  if (!report.isWhole()) {
    printProblem(report.text());
    return exitFailed;
  }
  return completed ? exitOk : kExitInterrupted;
}

} // namespace popscope::host
