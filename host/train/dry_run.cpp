#include "host/train/dry_run.hpp"

#include "host/command.hpp"
#include "host/plan/option_combinations.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/run_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/terminal/problem.hpp"
#include "host/train/model/model_engine.hpp"
#include "host/train/training_messages.hpp"
#include "host/train/watch/inspection.hpp"
#include "host/train/watch/sample_file.hpp"
#include "text/number_text.hpp"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::host {

namespace {

void printSettings(std::ostream &out, const TrainingPlan &plan) {
  const graph::TrainingSpec &spec = plan.spec;
  const std::uint64_t batches =
      std::uint64_t(plan.epochs) * plan.batchesPerEpoch;
  out << "train   " << plan.epochs
      << (plan.epochs == 1 ? " epoch of " : " epochs of ")
      << text::countText(plan.batchesPerEpoch) << " batches, "
      << text::countText(batches / spec.accumulation) << " updates; "
      << plan.batchesPerExecution << " batches an execution\n"
      << "        " << optimizerName(spec.optimizer) << ", learning rate "
      << plan.schedule.text() << ", gradients combined by "
      << accumulationName(spec.accumulationMethod) << "\n"
      << "        precision " << spec.precision.toString()
      << (spec.precision == poplar::HALF
              ? ", loss scale " + text::shortestDecimal(spec.lossScale)
              : std::string())
      << ", replicas " << plan.replicas << ", seed " << plan.seed << '\n';
}

void printMemory(std::ostream &out, ModelEngine &model,
                 const poplar::Target &target) {
  out << "memory  ";
  if (const auto costs = model.estimatedCosts()) {
    std::uint64_t bytes = 0;
    for (const auto &[name, ofTensor] : costs->bytes)
      bytes += ofTensor;
    out << text::countText(bytes) << " bytes of tensors in training; ";
  }
  out << "the device has " << text::countText(target.getMemoryBytes()) << '\n';
}

void printFiles(std::ostream &out, const TrainOptions &options,
                ModelEngine &model) {
  std::uint64_t bytes = 0;
  for (const SavedTensor &tensor : model.save())
    bytes += tensor.bytes.size();
  out << "writes  popscope.json, log.csv and event files in the log,\n"
      << "        checkpoints of " << text::countText(bytes)
      << " bytes of tensors in its folder " << kCheckpointFolder << '\n';
  if (!options.inspection.json.empty())
    out << "        samples to " << options.inspection.json << '\n';
  if (options.clean)
    out << "        an earlier log of the run would be deleted\n";
}

// `option` asks for less than a training. Refuses what that would refuse.
Preset checkedPreset(const TrainOptions &options, const char *option) {
  if (options.resume)
    throw BadInput(std::string(option) +
                   " does not go with --resume: a run that is resumed has its "
                   "settings; leave one of them out");
  Preset preset = choosePreset(options);
  checkCombinations(options, preset);
  return preset;
}

RunDirectory directoryFor(const TrainOptions &options, const Preset &preset,
                          RunReport &report) {
  checkSampleFile(options,
                  {dataDirectory(preset, options),
                   options.run.empty()
                       ? std::filesystem::path()
                       : std::filesystem::path(options.logdir) / options.run});
  return options.run.empty()
             ? RunDirectory(options.logdir, UnnamedRun{preset.name}, report)
             : RunDirectory(options.logdir, options.run,
                            options.clean ? ExistingRun::clean
                                          : ExistingRun::refuse,
                            report);
}

TrainOptions withoutFiles(TrainOptions options) {
  options.inspection.json.clear(); // it would be created
  return options;
}

// A training up to the point where its graph is built.
class UnbegunRun {
public:
  UnbegunRun(const TrainOptions &options, const char *option)
      : report_(options.onSummaryError, printProblem),
        preset_(checkedPreset(options, option)),
        data_(readData(preset_, options)),
        plan_(planTraining(preset_, options, data_)),
        directory_(directoryFor(options, preset_, report_)),
        start_("stopped; nothing was written\n",
               {directory_.made().begin(), directory_.made().end()}),
        instances_(plan_.replicas),
        inspection_(
            withoutFiles(options), plan_, directory_.path().string(),
            instances_, [] { return std::shared_ptr<summary::EventWriter>(); },
            report_),
        isWatched_(inspection_.isWanted() && !options.noInspection) {}

  const TrainingPlan &plan() const { return plan_; }
  const TrainingData &data() const { return data_; }
  std::string path() const { return directory_.path().string(); }
  outfeed::Instances &instances() { return instances_; }
  TrainingObserver *observer() { return isWatched_ ? &inspection_ : nullptr; }

private:
  RunReport report_;
  const Preset preset_;
  const TrainingData data_;
  const TrainingPlan plan_;
  const RunDirectory directory_;
  const StartGuard start_;
  outfeed::SoleInstance instances_;
  Inspection inspection_;
  const bool isWatched_;
};

} // namespace

int runDry(const TrainOptions &options, std::ostream &out) {
  UnbegunRun run(options, "--dry-run");
  const TrainingPlan &plan = run.plan();
  const poplar::Device device =
      openDevice(options.device, {plan.ipus(), options.tiles});
  try {
    ModelEngine model(device, plan.spec, run.instances(), plan.seed,
                      run.observer());
    printIntroduction(out, {plan, run.data(), describe(device), run.path(),
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

int runCompileOnly(const TrainOptions &options, std::ostream &out,
                   const std::optional<outfeed::ReplicaSlice> &started) {
  const std::string cache = executableCacheDirectory(options);
  if (cache.empty())
    throw BadInput("--compile-only needs a place for the executable; name one "
                   "with --executable-cache");
  UnbegunRun run(options, "--compile-only");
  const TrainingPlan &plan = run.plan();
  const outfeed::ReplicaSlice slice =
      started.value_or(outfeed::ReplicaSlice{1, 0, plan.replicas});
  const poplar::Target target = chooseTarget(
      options.device,
      {plan.ipus() / slice.instances, options.tiles, started.has_value()},
      slice.instances);
  CacheUse use;
  try {
    use = compileModel(target, plan.spec, slice, run.observer(),
                       ExecutableCache(cache));
  } catch (const std::invalid_argument &error) {
    throw BadInput(withoutRoom(error.what()));
  }
  for (const std::string &problem : use.problems)
    printProblem(problem);
  if (use.isStored && !options.quiet)
    out << (use.isLoaded ? "already in cache " : "compiled and kept in cache ")
        << cache << ", for " << describe(target) << std::endl;
  return use.isStored ? exitOk : exitFailed;
}

} // namespace popscope::host
