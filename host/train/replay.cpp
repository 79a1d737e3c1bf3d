#include "host/train/replay.hpp"

#include "host/command.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/manifest_file.hpp"
#include "host/run/run_directory.hpp"
#include "host/run/tensorboard_hint.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/terminal/problem.hpp"
#include "host/terminal/status_line.hpp"
#include "host/train/model/model_engine.hpp"
#include "host/train/model/training_streams.hpp"
#include "host/train/state/checkpoint.hpp"
#include "host/train/state/resume_point.hpp"
#include "host/train/state/run_manifest.hpp"
#include "host/train/training_messages.hpp"
#include "host/train/watch/inspection.hpp"
#include "text/number_text.hpp"
#include "text/terminal.hpp"

#include <iostream>
#include <memory>
#include <optional>
#include <unistd.h>

namespace popscope::host {

namespace {

// The one that saves most of the way to `first`.
std::optional<Checkpoint> nearestCheckpoint(const std::filesystem::path &run,
                                            const TrainingPlan &plan,
                                            Batches first) {
  std::optional<Checkpoint> nearest;
  for (const char *name : {kCheckpointFolder, kGoodCheckpointFolder}) {
    const std::filesystem::path directory = run / name;
    if (!std::filesystem::exists(directory))
      continue;
    Checkpoint checkpoint = readCheckpoint(directory);
    if (trainAlike(checkpoint.plan, plan.describe()) &&
        !(first < checkpoint.done) &&
        (!nearest || nearest->done < checkpoint.done))
      nearest = std::move(checkpoint);
  }
  return nearest;
}

// The taps of the preset stay away; so do its tables.
TrainingPlan replayPlan(const TrainingPlan &original) {
  TrainingPlan plan = original;
  plan.preset.inspection.taps.clear();
  plan.batchesPerExecution = plan.spec.accumulation;
  plan.spec.updatesPerRun = 1;
  return plan;
}

} // namespace

int runReplay(const TrainOptions &options,
              const std::filesystem::path &original,
              const std::vector<std::string> &commandLine, std::ostream &out) {
  const UpdateSpan span = options.inspection.span.value();
  RunReport report(options.onSummaryError, printProblem);
  const Preset preset = choosePreset(options);
  const TrainingData data = readData(preset, options);
  const TrainingPlan trained = planTraining(preset, options, data);
  const TrainingPlan plan = replayPlan(trained);
  const std::uint64_t updates = std::uint64_t(plan.epochs) *
                                plan.batchesPerEpoch / plan.spec.accumulation;
  if (span.last.value() >= updates)
    throw BadInput("update " + std::to_string(span.last.value()) +
                   ": the training has " + std::to_string(updates) +
                   " updates, counted from 0");
  const auto batchesAt = [&plan](outfeed::Update update) {
    return Batches(std::uint64_t(update.value()) * plan.spec.accumulation);
  };
  const std::optional<Checkpoint> checkpoint =
      nearestCheckpoint(original, trained, batchesAt(span.first));
  Batches done = checkpoint ? checkpoint->done : Batches(0);

  RunDirectory run(options.logdir, options.run,
                   options.clean ? ExistingRun::clean : ExistingRun::refuse,
                   report);
  const poplar::Device device =
      openDevice(options.device, {plan.ipus(), options.tiles});
  std::shared_ptr<summary::EventWriter> log;
  outfeed::SoleInstance alone(plan.replicas);
  Inspection inspection(
      options, plan, run.path().string(), alone, [&log] { return log; },
      report);
  if (!options.quiet)
    printIntroduction(out, {plan, data, describe(device), run.path().string(),
                            std::nullopt, options.inspection.faults});
  ModelEngine model(device, plan.spec, alone, plan.seed, &inspection);
  run.begin();
  const outfeed::Update begin(
      std::uint32_t(done.value() / plan.spec.accumulation));
  log = run.log(summary::Step(begin.value()));
  TrainingStreams streams(
      model, data.train,
      BatchOrder(data.train.size(), plan.spec.batchSize, plan.seed),
      done.value() * plan.replicas, plan.preset.metrics);
  if (checkpoint) {
    model.restore(checkpoint->tensors);
    inspection.resumeAt(model.engine(), begin, {});
  }
  inspection.repeat(recordedInterventions(readManifest(original)));
  if (!options.quiet)
    out << "replay  from "
        << (checkpoint ? "the checkpoint " + placeOf(done, plan)
                       : std::string("the first weights"))
        << std::endl;

  InterruptGuard interrupt;
  interrupt.setLastWords("stopped at once\n");
  const Batches end = batchesAt(outfeed::Update(span.last.value() + 1));
  while (done < end && !interrupt.isAsked()) {
    const std::uint64_t update = done.value() / plan.spec.accumulation;
    streams.resetMetrics();
    model.setLearningRate(
        plan.schedule.at(unsigned(done.value() / plan.batchesPerEpoch)));
    model.train();
    done += Batches(plan.spec.accumulation);
    if (update >= span.first.value() && !options.quiet)
      out << "update " << update << "  loss "
          << text::fourDecimals(streams.metrics().front().value) << std::endl;
  }
  inspection.finish(out, text::columnsOfStream(STDOUT_FILENO));
  HealthRecord record = inspection.health();
  record.isFinished = done == end;
  writeManifest(run, {plan, data, model, describe(device), commandLine, record,
                      inspection.tensors()});
  if (!options.quiet)
    out << "\nTo see it: " << tensorboardCommand(options.logdir) << std::endl;
  report.checkStandardOutput(out);
  if (!report.isWhole()) {
    printProblem(report.text());
    return exitFailed;
  }
  return done == end ? exitOk : kExitInterrupted;
}

} // namespace popscope::host
