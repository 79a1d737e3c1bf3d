#include "host/train/dry_run.hpp"

#include "host/command.hpp"
#include "host/plan/option_combinations.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/run_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/train/inspection.hpp"
#include "host/train/model_engine.hpp"
#include "host/train/sample_file.hpp"
#include "host/train/training_messages.hpp"
#include "text/number_text.hpp"

#include <stdexcept>
#include <string>

namespace popscope::host {

namespace {

std::string count(std::uint64_t value) {
  return text::withThousands(double(value));
}

void printSettings(std::ostream &out, const TrainingPlan &plan) {
  const graph::TrainingSpec &spec = plan.spec;
  const std::uint64_t batches =
      std::uint64_t(plan.epochs) * plan.batchesPerEpoch;
  out << "train   " << plan.epochs << " epochs of "
      << count(plan.batchesPerEpoch) << " batches, "
      << count(batches / spec.accumulation) << " updates; "
      << plan.batchesPerExecution << " batches an execution\n"
      << "        " << optimizerName(spec.optimizer) << ", learning rate "
      << plan.schedule.text() << ", gradients combined by "
      << accumulationName(spec.accumulationMethod) << "\n"
      << "        precision " << spec.precision.toString() << ", replicas "
      << plan.replicas << ", seed " << plan.seed << '\n';
}

void printMemory(std::ostream &out, ModelEngine &model,
                 const poplar::Target &target) {
  out << "memory  ";
  if (const auto costs = model.estimatedCosts()) {
    std::uint64_t bytes = 0;
    for (const auto &[name, ofTensor] : costs->bytes)
      bytes += ofTensor;
    out << count(bytes) << " bytes of tensors in training; ";
  }
  out << "the device has " << count(target.getMemoryBytes()) << '\n';
}

void printFiles(std::ostream &out, const TrainOptions &options,
                ModelEngine &model) {
  std::uint64_t bytes = 0;
  for (const SavedTensor &tensor : model.save())
    bytes += tensor.bytes.size();
  out << "writes  popscope.json, log.csv and event files in the log,\n"
      << "        checkpoints of " << count(bytes)
      << " bytes of tensors in its folder " << kCheckpointFolder << '\n';
  if (!options.inspection.json.empty())
    out << "        samples to " << options.inspection.json << '\n';
  if (options.clean)
    out << "        an earlier log of the run would be deleted\n";
}

} // namespace

int runDry(const TrainOptions &options, std::ostream &out) {
  if (options.resume)
    throw BadInput("--dry-run does not go with --resume: a run that is resumed "
                   "has its settings; leave one of them out");
  RunReport report(options.onSummaryError, printProblem);
  const Preset preset = choosePreset(options);
  checkCombinations(options, preset);
  const TrainingData data = readData(preset, options);
  const TrainingPlan plan = planTraining(preset, options, data);
  checkSampleFile(options,
                  {dataDirectory(preset, options),
                   options.run.empty()
                       ? std::filesystem::path()
                       : std::filesystem::path(options.logdir) / options.run});
  const RunDirectory run =
      options.run.empty()
          ? RunDirectory(options.logdir, UnnamedRun{preset.name}, report)
          : RunDirectory(options.logdir, options.run,
                         options.clean ? ExistingRun::clean
                                       : ExistingRun::refuse,
                         report);
  const StartGuard start("stopped; nothing was written\n",
                         {run.made().begin(), run.made().end()});
  const poplar::Device device =
      openDevice(options.device, {plan.ipus(), options.tiles});
  TrainOptions unwritten = options;
  unwritten.inspection.json.clear(); // it would be created
  outfeed::SoleInstance alone(plan.replicas);
  Inspection inspection(
      unwritten, plan, run.path().string(), alone,
      [] { return std::shared_ptr<summary::EventWriter>(); }, report);
  const bool isWatched = inspection.isWanted() && !options.noInspection;
  try {
    ModelEngine model(device, plan.spec, alone, plan.seed,
                      isWatched ? &inspection : nullptr);
    printIntroduction(out, {plan, data, describe(device), run.path().string(),
                            std::nullopt, options.inspection.faults});
    printSettings(out, plan);
    printMemory(out, model, device.getTarget());
    printFiles(out, options, model);
  } catch (const std::invalid_argument &error) {
    throw BadInput(withoutRoom(error.what()));
  }
  out << "Nothing was trained or written.\n";
  return exitOk;
}

} // namespace popscope::host
