#include "host/train/follower_run.hpp"

#include "host/callbacks/callback_thread.hpp"
#include "host/plan/option_combinations.hpp"
#include "host/plan/training_plan.hpp"
#include "host/run/instance_directory.hpp"
#include "host/terminal/interrupt.hpp"
#include "host/train/shared_ending.hpp"
#include "host/train/shared_start.hpp"
#include "host/train/trainer.hpp"
#include "host/train/training_messages.hpp"
#include "host/train/training_progress.hpp"
#include "host/train/watch/inspection.hpp"

#include <memory>
#include <optional>
#include <sstream>

namespace popscope::host {

int followTraining(const TrainOptions &options, outfeed::Instances &instances) {
  turnWriteSignalsIntoErrors();
  std::unique_ptr<InstanceDirectory> own; // once the run begins
  RunReport report(options.onSummaryError,
                   [&own](const std::string &line) { own->log(line); });
  const Preset preset = choosePreset(options);
  checkCombinations(options, preset);
  const TrainingData data = readData(preset, options);
  TrainingPlan plan = planTraining(preset, options, data);
  const SharedStart start = hearStart(instances, plan);
  const std::optional<Checkpoint> &checkpoint = start.checkpoint;
  const poplar::Device device =
      openDevice(options.device, {plan.ipus() / instances.slice().instances,
                                  options.tiles, true});
  Inspection inspection(options, plan, start.run.string(), instances, {},
                        report);
  TrainingObserver *const observer =
      inspection.isWanted() && !options.noInspection ? &inspection : nullptr;
  const std::string cacheDirectory = executableCacheDirectory(options);
  const ExecutableCache cache(cacheDirectory);
  ModelEngine model(device, plan.spec, instances, plan.seed, observer,
                    cacheDirectory.empty() ? nullptr : &cache);
  instances.ofFirst(true, kRunBegins);
  own = std::make_unique<InstanceDirectory>(start.run, instances.slice());
  own->log(describe(instances.slice()) + " begins " +
           placeOf(checkpoint ? checkpoint->done : Batches(0), plan));
  for (const std::string &problem : model.cacheUse().problems)
    report.note(problem);
  if (checkpoint)
    inspection.resumeAt(model.engine(),
                        outfeed::Update(std::uint32_t(checkpoint->done.value() /
                                                      plan.spec.accumulation)),
                        {});

  InterruptGuard interrupt;
  interrupt.setLastWords("stopped at once\n");
  CallbackThread callbacks({}, report);
  std::ostringstream nowhere;
  TrainingProgressOptions silent;
  silent.style = TrainingProgressStyle::silent;
  TrainingProgress progress(nowhere, silent);
  Trainer trainer(plan,
                  {model,
                   data,
                   report,
                   nullptr,
                   callbacks,
                   progress,
                   observer,
                   nowhere,
                   {},
                   double(options.checkpointEvery)},
                  checkpoint ? &*checkpoint : nullptr);
  const bool completed = trainer.train(interrupt);
  if (observer)
    inspection.collectRecorded(model.engine());
  inspection.finish(nowhere, 0);
  if (completed && !options.quiet)
    trainer.evaluate(data.test);
  own->log("ends " + placeOf(trainer.done(), plan));
  return endTogether(instances, report, 0);
}

} // namespace popscope::host
