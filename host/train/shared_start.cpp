#include "host/train/shared_start.hpp"

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
  instances.ofFirst(checkpoint ? bytesOf(*checkpoint) : "", kChannel);
}

SharedStart hearStart(outfeed::Instances &instances, TrainingPlan &plan) {
  SharedStart start;
  start.run = instances.ofFirst(std::string(), kChannel);
  plan.schedule =
      LearningRateSchedule::parse(instances.ofFirst(std::string(), kChannel));
  plan.spec.optimizer.learningRate = plan.schedule.at(0);
  const std::string checkpoint = instances.ofFirst(std::string(), kChannel);
  if (!checkpoint.empty())
    start.checkpoint = checkpointOf(checkpoint);
  return start;
}

} // namespace popscope::host
