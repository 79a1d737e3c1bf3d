#include "host/train/shared_start.hpp"

#include <string>

namespace popscope::host {

namespace {

constexpr char kChannel[] = "start";

} // namespace

void tellStart(outfeed::Instances &instances, const std::filesystem::path &run,
               const std::optional<Checkpoint> &checkpoint,
               const TrainingPlan &plan) {
  if (!instances.slice().isSplit())
    return;
  instances.ofFirst(run.string(), kChannel);
  instances.ofFirst(plan.schedule.text(), kChannel);
  instances.ofFirst(std::to_string(plan.batchesPerExecution), kChannel);
  instances.ofFirst(checkpoint ? bytesOf(*checkpoint) : "", kChannel);
}

SharedStart hearStart(outfeed::Instances &instances, TrainingPlan &plan) {
  SharedStart start;
  start.run = instances.ofFirst(std::string(), kChannel);
  plan.schedule =
      LearningRateSchedule::parse(instances.ofFirst(std::string(), kChannel));
  plan.spec.optimizer.learningRate = plan.schedule.at(0);
  plan.batchesPerExecution =
      unsigned(std::stoul(instances.ofFirst(std::string(), kChannel)));
  plan.spec.updatesPerRun = plan.batchesPerExecution / plan.spec.accumulation;
  const std::string checkpoint = instances.ofFirst(std::string(), kChannel);
  if (!checkpoint.empty())
    start.checkpoint = checkpointOf(checkpoint);
  return start;
}

} // namespace popscope::host
