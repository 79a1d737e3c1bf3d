#include "host/train/training_run.hpp"

#include "host/callbacks/callback_thread.hpp"
#include "host/command.hpp"
#include "host/plan/option_combinations.hpp"
#include "host/plan/periods.hpp"
#include "host/plan/training_plan.hpp"
#include "host/record/run_page.hpp"
#include "host/report/heat_map_images.hpp"
#include "host/run/instance_directory.hpp"
#include "host/run/manifest_file.hpp"
#include "host/run/run_directory.hpp"
#include "host/run/tensorboard_hint.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/terminal/problem.hpp"
#include "host/terminal/status_line.hpp"
#include "host/train/shared_ending.hpp"
#include "host/train/shared_start.hpp"
#include "host/train/state/resume_point.hpp"
#include "host/train/state/run_manifest.hpp"
#include "host/train/trainer.hpp"
#include "host/train/training_callbacks.hpp"
#include "host/train/training_messages.hpp"
#include "host/train/training_progress.hpp"
#include "host/train/watch/control_signal.hpp"
#include "host/train/watch/inspection.hpp"
#include "host/train/watch/sample_file.hpp"
#include "text/terminal.hpp"

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

namespace popscope::host {

namespace {

TrainingProgressOptions progressOptions(const TrainingPlan &plan,
                                        const TrainOptions &options) {
  TrainingProgressOptions progress;
  if (!options.inspection.jsonToStdout())
    progress.style = trainingProgressStyleOfStdout();
  if (options.quiet)
    progress.style = TrainingProgressStyle::silent;
  progress.epochs = plan.epochs;
  progress.batchesPerEpoch = Batches(plan.batchesPerEpoch);
  progress.imagesPerBatch = plan.imagesPerBatch();
  return progress;
}

StatusStyle statusStyle(const TrainOptions &options) {
  if (options.quiet)
    return StatusStyle::silent;
  return text::isTerminal(STDOUT_FILENO) && !options.inspection.jsonToStdout()
             ? StatusStyle::wiped
             : StatusStyle::kept;
}

std::vector<std::string>
pathsOf(const std::vector<std::filesystem::path> &paths) {
  return {paths.begin(), paths.end()};
}

std::vector<std::string> joined(std::vector<std::string> lines,
                                const std::vector<std::string> &more) {
  lines.insert(lines.end(), more.begin(), more.end());
  return lines;
}

ExistingRun existingRun(const TrainOptions &options) {
  if (options.resume)
    return ExistingRun::resume;
  return options.clean ? ExistingRun::clean : ExistingRun::refuse;
}

std::unique_ptr<ModelEngine> makeModel(const poplar::Device &device,
                                       const TrainingPlan &plan,
                                       outfeed::Instances &instances,
                                       TrainingObserver *observer,
                                       const std::string &cacheDirectory) {
  const ExecutableCache cache(cacheDirectory);
  try {
    return std::make_unique<ModelEngine>(
        device, plan.spec, instances, plan.seed, observer,
        cacheDirectory.empty() ? nullptr : &cache);
  } catch (const std::invalid_argument &error) {
    throw BadInput(withoutRoom(error.what()));
  }
}

void tellCacheUse(std::ostream &out, const CacheUse &use,
                  const TrainOptions &options, RunReport &report) {
  for (const std::string &problem : use.problems)
    report.note(problem);
  if (use.isLoaded && !options.quiet)
    out << "executable loaded from cache " << executableCacheDirectory(options)
        << std::endl;
}

std::string deviceText(const poplar::Device &device,
                       const outfeed::ReplicaSlice &slice) {
  return (slice.isSplit()
              ? std::to_string(slice.instances) + " instances, each on: "
              : "") +
         describe(device);
}

// A later start has them in the file of the first.
TrainingPage describeGraphs(const RunDirectory &run, ModelEngine &model) {
  if (run.isResumed() && run.firstEpoch() != Epoch(0))
    return {};
  return describeTraining(model.spec(), model.replicas(),
                          model.estimatedCosts());
}

// The names that a tensor of the checkpoint may have among the taps.
std::vector<std::string> tapNamesOf(const std::string &state) {
  const std::size_t slash = state.rfind('/');
  const std::string weight = state.substr(0, slash);
  if (state.substr(slash + 1) == "velocity")
    return {weight + "_rms", weight + "_v"};
  if (state.substr(slash + 1) == "momentum")
    return {weight + "_momentum", weight + "_m"};
  return {state};
}

// What is bad already is no fault of this start.
void tellBefore(Inspection &inspection, const ModelEngine &model,
                const Checkpoint &checkpoint) {
  for (const graph::StateTensor &state : model.state())
    for (const SavedTensor &saved : checkpoint.tensors)
      if (state.type == poplar::FLOAT && saved.name == state.name) {
        std::vector<float> values(saved.bytes.size() / sizeof(float));
        std::memcpy(values.data(), saved.bytes.data(),
                    values.size() * sizeof(float));
        summary::TensorStats stats;
        stats.add(values);
        for (const std::string &name : tapNamesOf(saved.name))
          inspection.setBefore(name, outfeed::healthOf(stats));
      }
}

// A run without a manifest that can be read has none.
std::optional<EarlierAlarm> alarmBefore(const std::filesystem::path &run,
                                        outfeed::Update firstUpdate) {
  try {
    return earlierAlarm(readManifest(run), firstUpdate);
  } catch (const BadInput &) {
    return std::nullopt;
  }
}

// Of the starts before; none, with a note, if popscope.json is lost.
std::vector<outfeed::Intervention>
earlierInterventions(const RunDirectory &run) {
  try {
    return recordedInterventions(readManifest(run.path()));
  } catch (const BadInput &error) {
    run.report().note(std::string(error.what()) +
                      "; what popscope control may have changed before is not "
                      "changed again");
    return {};
  }
}

// Read back from what the run has written, so that they are of earlier starts
// too.
void logHeatMaps(const RunDirectory &run, summary::EventWriter &log,
                 summary::Step step) {
  run.flush();
  try {
    for (const HeatMapImage &map :
         drawHeatMaps(run.path(), readManifest(run.path())))
      log.image(summary::Tag(map.tag), step, map.image.view());
  } catch (const std::exception &error) {
    run.report().note("no heat maps were drawn: " + std::string(error.what()));
  }
}

} // namespace

int runTraining(const TrainOptions &options,
                const std::vector<std::string> &commandLine, std::ostream &out,
                outfeed::Instances &instances) {
  turnWriteSignalsIntoErrors();
  RunReport report(options.onSummaryError, printProblem);
  const Preset preset = choosePreset(options);
  checkCombinations(options, preset);
  const TrainingData data = readData(preset, options);
  TrainingPlan plan = planTraining(preset, options, data);
  // A run without a name is new: no file can be part of it yet.
  checkSampleFile(options,
                  {dataDirectory(preset, options),
                   options.run.empty()
                       ? std::filesystem::path()
                       : std::filesystem::path(options.logdir) / options.run});
  RunDirectory run =
      options.run.empty()
          ? RunDirectory(options.logdir, UnnamedRun{preset.name}, report)
          : RunDirectory(options.logdir, options.run, existingRun(options),
                         report);
  std::optional<StartGuard> start;
  start.emplace("stopped before anything was trained\n", pathsOf(run.made()));
  const ResumePoint resumePoint = resumePointOf(run, options, plan);
  const std::optional<Checkpoint> &checkpoint = resumePoint.checkpoint;
  tellStart(instances, run.path(), checkpoint, plan);
  const outfeed::ReplicaSlice &slice = instances.slice();
  const poplar::Device device =
      openDevice(options.device, {plan.ipus() / slice.instances, options.tiles,
                                  slice.isSplit()});
  std::shared_ptr<summary::EventWriter> log; // of the run, once it begins
  const auto updatesIn = [&plan](Batches done) {
    return std::uint32_t(done.value() / plan.spec.accumulation);
  };
  const std::uint32_t firstUpdate =
      checkpoint ? updatesIn(checkpoint->done) : 0;
  Inspection inspection(
      options, plan, run.path().string(), instances, [&log] { return log; },
      report,
      [&run, firstUpdate] {
        return run.recorderLog(summary::Step(firstUpdate));
      });
  TrainingObserver *const observer =
      inspection.isWanted() && !options.noInspection ? &inspection : nullptr;
  if (!options.quiet)
    printIntroduction(
        out, {plan, data, deviceText(device, slice), run.path().string(),
              checkpoint ? std::optional(checkpoint->done) : std::nullopt,
              options.inspection.faults,
              joined(options.changes, resumePoint.changes)});

  const std::unique_ptr<ModelEngine> model = [&] {
    const StatusLine status(out, statusStyle(options),
                            "building the graph and loading it onto the "
                            "device ...");
    return makeModel(device, plan, instances, observer,
                     executableCacheDirectory(options));
  }();
  tellCacheUse(out, model->cacheUse(), options, report);
  run.begin();
  std::unique_ptr<InstanceDirectory> own;
  if (slice.isSplit()) {
    instances.ofFirst(true, kRunBegins);
    own = std::make_unique<InstanceDirectory>(run.path(), slice);
    own->log(describe(slice) + " begins " +
             placeOf(checkpoint ? checkpoint->done : Batches(0), plan));
  }
  if (checkpoint)
    inspection.resumeAt(model->engine(), outfeed::Update(firstUpdate),
                        checkpoint->table);
  if (checkpoint) {
    tellBefore(inspection, *model, *checkpoint);
    if (auto alarm = alarmBefore(run.path(), outfeed::Update(firstUpdate)))
      inspection.keepAlarm(std::move(*alarm));
  }
  if (run.isResumed())
    inspection.repeat(earlierInterventions(run));
  log = run.log(summary::Step(firstUpdate));
  RunPage page(run, log, summary::Step(firstUpdate),
               {plan, data, dataDirectory(preset, options),
                deviceText(device, slice), commandLine},
               inspection.tapped());
  std::optional<WatchCost> cost; // once it has ended
  const auto writeHealth = [&](HealthRecord record) {
    writeManifest(run,
                  {plan, data, *model, deviceText(device, slice), commandLine,
                   std::move(record), inspection.tensors(), cost});
  };
  writeHealth(inspection.health());
  inspection.onAlarm(writeHealth);
  if (observer)
    for (const std::string &line : inspection.withoutEffect())
      report.note(line);

  for (const std::string &line : ineffectiveTutorialOptions(options))
    report.note(line);
  for (const std::string &line : periodsNeverDue(plan, options.periods))
    report.note(line);

  inspection.listen(run.path().string());
  const ControlSignal signal(inspection.control());

  const std::string resume =
      resumeCommand(commandLine, run.path().string(), slice);
  start.reset();
  InterruptGuard interrupt;
  const auto checkpointed = [&](Batches done) {
    interrupt.setLastWords("stopped at once: what was trained since the "
                           "checkpoint " +
                           placeOf(done, plan) +
                           " is lost. To go on from there:\n  " + resume +
                           "\n");
  };
  if (checkpoint)
    checkpointed(checkpoint->done);
  CallbackThread callbacks(
      makeCallbacks(plan, data, run, describeGraphs(run, *model)), report);
  TrainingProgressOptions shown = progressOptions(plan, options);
  shown.above = [&] { return inspection.watchLines(text::sizeOfTerminal()); };
  TrainingProgress progress(out, shown);
  Trainer trainer(plan,
                  {*model, data, report, &run, callbacks, progress, observer,
                   out, checkpointed, double(options.checkpointEvery)},
                  checkpoint ? &*checkpoint : nullptr);
  const bool completed = trainer.train(interrupt);
  callbacks.finish();
  if (observer)
    inspection.collectRecorded(model->engine());
  const std::size_t columns = shown.style == TrainingProgressStyle::bar
                                  ? text::sizeOfTerminal().columns
                                  : std::string::npos;
  if (observer && completed)
    inspection.cost().rehearse(*model, [&] { return interrupt.isAsked(); });
  if (observer)
    cost = inspection.cost().result();
  const bool tellCost = cost && inspection.cost().isWanted();
  inspection.finish(out, columns);
  HealthRecord record = inspection.health();
  record.isFinished = true;
  writeHealth(record);
  RunHealth health;
  health.ending = completed                  ? RunEnding::completed
                  : trainer.wasInterrupted() ? RunEnding::interrupted
                                             : RunEnding::failed;
  health.place = placeOf(trainer.done(), plan);
  if (trainer.lastTraining())
    health.loss = trainer.lastTraining()->values.front().value;
  if (observer && !inspection.tapped().empty())
    health.tensors = inspection.badCounts();
  health.record = record;
  if (tellCost)
    log->text(summary::Tag("cost_of_watching"),
              summary::Step(updatesIn(trainer.done())), describe(*cost));
  if (observer && !inspection.tapped().empty())
    logHeatMaps(run, *log, summary::Step(updatesIn(trainer.done())));
  page.end(health, summary::Step(updatesIn(trainer.done())));

  if (completed && !options.quiet) {
    printResults(out, plan,
                 {trainer.lastTraining(), trainer.lastValidation(),
                  trainer.evaluate(data.test)},
                 columns);
  }
  if (tellCost && !options.quiet)
    print(*cost, out << '\n', columns);
  if (completed && !options.quiet) {
    out << "\nTo see it: " << tensorboardCommand(options.logdir)
        << "\nOr on one page: "
        << reportCommand(commandLine, run.path().string()) << std::endl;
    if (options.inspection.debugger)
      out << debuggerHint(tensorboardCommand(run.path().string())) << std::endl;
  }
  const bool isSpoilt = inspection.asksToStop();
  if (isSpoilt)
    out << "stopped " << placeOf(trainer.done(), plan) << " because of "
        << inspection.stopCause()
        << ". To go on from the last checkpoint before:\n  " << resume
        << std::endl;
  else if (!completed)
    out << "stopped " << placeOf(trainer.done(), plan)
        << (report.isWhole() ? "; everything is written" : "")
        << ". To go on:\n  " << resume << std::endl;
  report.checkStandardOutput(out);
  for (const std::string &line : linesOf(record))
    printProblem(line);
  if (!report.isWhole())
    printProblem(report.text());
  if (own)
    own->log("ends " + placeOf(trainer.done(), plan));
  const int exitCode = !report.isWhole() ? int(exitFailed)
                       : isSpoilt        ? int(exitNotFinite)
                       : completed       ? int(exitOk)
                                         : kExitInterrupted;
  return endTogether(instances, report, exitCode);
}

} // namespace popscope::host
