#include "host/plan/batch_counts.hpp"

#include "host/command.hpp"

#include <cstdint>
#include <limits>
#include <numeric>
#include <string>

namespace popscope::host {

namespace {

std::string optionText(const char *name, std::uint64_t value) {
  return std::string(name) + " " + std::to_string(value);
}

void chooseBatch(TrainingPlan &plan, const TrainOptions &options,
                 std::size_t images) {
  const std::string only =
      ", and the training set has only " + std::to_string(images);
  graph::TrainingSpec &spec = plan.spec;
  spec.batchSize =
      options.batchSize.value_or(plan.preset.batchSize.value_or(images));
  spec.accumulation = options.accumulation.value_or(plan.preset.accumulation);
  if (spec.batchSize > images && options.batchSize)
    throw BadInput(optionText("--batch-size", spec.batchSize) +
                   ": the training set has only " + std::to_string(images) +
                   " images");
  if (spec.batchSize > images)
    throw BadInput(plan.preset.title + " has batches of " +
                   std::to_string(spec.batchSize) + " images" + only +
                   "; give a smaller --batch-size");
  if (plan.imagesPerBatch() > images)
    throw BadInput(optionText("--replicas", plan.replicas) +
                   ": a batch for each takes " +
                   std::to_string(plan.imagesPerBatch()) + " images" + only);
}

// The multiples of `divisor` next to a number that is none: "4 or 8".
std::string multiplesAround(std::uint64_t number, std::uint64_t divisor) {
  const std::uint64_t below = number / divisor * divisor;
  const std::string above = std::to_string(below + divisor);
  return below == 0 ? above : std::to_string(below) + " or " + above;
}

// An epoch has whole executions, and an execution whole updates. Blames an
// option that was given: the preset's own numbers go together.
void checkMultiples(const TrainingPlan &plan, const TrainOptions &options) {
  const std::size_t epoch = plan.batchesPerEpoch;
  const unsigned execution = plan.batchesPerExecution;
  const unsigned update = plan.spec.accumulation;
  if (execution % update)
    throw BadInput(optionText("--steps-per-execution", execution) +
                   ": not a multiple of the " + std::to_string(update) +
                   " batches of an update; try " +
                   multiplesAround(execution, update));
  if (epoch % execution == 0)
    return;
  const std::string works = multiplesAround(epoch, execution);
  if (options.batchesPerEpoch)
    throw BadInput(optionText("--steps-per-epoch", epoch) +
                   ": not a multiple of the " + std::to_string(execution) +
                   " batches of an " +
                   (options.batchesPerExecution ? "execution" : "update") +
                   "; try " + works);
  throw BadInput((options.batchesPerExecution
                      ? optionText("--steps-per-execution", execution)
                      : optionText("--gradient-accumulation", update)) +
                 ": an epoch has " + std::to_string(epoch) +
                 (epoch == 1 ? " batch" : " batches") +
                 ", which is not a multiple; try --steps-per-epoch " + works +
                 " as well");
}

// Taps count updates in 32 bits, and the feed counts batches in 64.
void checkTotals(const TrainingPlan &plan, const TrainOptions &options) {
  constexpr std::uint64_t kUpdates = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t kBatches = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t updates = plan.batchesPerEpoch / plan.spec.accumulation;
  const bool tooManyUpdates = updates > kUpdates / plan.epochs;
  const bool tooManyBatches =
      plan.batchesPerEpoch > kBatches / plan.replicas / plan.epochs;
  if (!tooManyUpdates && !tooManyBatches)
    return;
  const bool blameEpochs =
      !options.batchesPerEpoch || (options.epochs && updates <= kUpdates);
  throw BadInput(
      (blameEpochs ? optionText("--epochs", plan.epochs)
                   : optionText("--steps-per-epoch", plan.batchesPerEpoch)) +
      ": too large: a training has at most " +
      (tooManyUpdates ? std::to_string(kUpdates) + " updates, and an epoch " +
                            std::to_string(updates)
                      : std::to_string(kBatches) + " batches, and an epoch " +
                            std::to_string(plan.batchesPerEpoch)));
}

// What the user has not decided: the preset's number as far as it goes with the
// others, which may be the user's. A training that may stop because of a tensor
// looks after each update, so that it ends with the one that spoils it.
unsigned defaultExecution(const TrainingPlan &plan,
                          const TrainOptions &options) {
  const unsigned update = plan.spec.accumulation;
  if (options.inspection.onAlarm == OnAlarm::stop)
    return update;
  const std::size_t fitting =
      std::gcd(plan.batchesPerEpoch,
               std::size_t(plan.preset.batchesPerExecution.value_or(update)));
  return fitting % update == 0 ? unsigned(fitting) : update;
}

void chooseEpoch(TrainingPlan &plan, const TrainOptions &options,
                 std::size_t images) {
  graph::TrainingSpec &spec = plan.spec;
  const std::size_t pass = images / plan.imagesPerBatch();
  plan.batchesPerEpoch =
      options.batchesPerEpoch.value_or(plan.preset.batchesPerEpoch.value_or(
          pass / spec.accumulation * spec.accumulation));
  if (plan.batchesPerEpoch == 0)
    throw BadInput(
        (options.accumulation
             ? optionText("--gradient-accumulation", spec.accumulation)
         : plan.replicas > 1 ? optionText("--replicas", plan.replicas)
         : options.batchSize ? optionText("--batch-size", spec.batchSize)
                             : plan.preset.title) +
        ": an update takes " +
        std::to_string(plan.imagesPerBatch() * spec.accumulation) +
        " images, and the training set has only " + std::to_string(images) +
        "; to repeat them, give " +
        optionText("--steps-per-epoch", spec.accumulation));
  plan.batchesPerExecution =
      options.batchesPerExecution.value_or(defaultExecution(plan, options));
  checkTotals(plan, options);
  checkMultiples(plan, options);
  spec.updatesPerRun = plan.batchesPerExecution / spec.accumulation;
}

} // namespace

void chooseBatchCounts(TrainingPlan &plan, const TrainOptions &options,
                       std::size_t images) {
  chooseBatch(plan, options, images);
  chooseEpoch(plan, options, images);
}

} // namespace popscope::host
