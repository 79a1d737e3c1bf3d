#include "host/train/training_messages.hpp"

#include "text/folded.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"
#include "text/table.hpp"

#include <cstdint>

namespace popscope::host {

namespace {

std::string modelText(const TrainingPlan &plan) {
  const graph::TrainingSpec &spec = plan.spec;
  std::string text = spec.model.name + ", " +
                     std::to_string(spec.model.layers.size()) + " layers";
  if (spec.pipelined)
    text += " in " + std::to_string(plan.ipus() / plan.replicas) +
            " pipeline stages";
  text += ", batch " + std::to_string(spec.batchSize);
  if (spec.accumulation > 1)
    text += ", " + std::to_string(spec.accumulation) + " batches accumulated";
  if (plan.replicas > 1)
    text += ", " + std::to_string(plan.replicas) + " replicas";
  return text;
}

std::string whyNotValidated(const Preset &preset) {
  if (preset.validationEvery == 0)
    return "--validate-every 0 asks for none";
  if (preset.validation == ValidationSet::none)
    return "there is no validation set";
  return "it follows every " + text::ordinal(preset.validationEvery) +
         " epoch, and this training has completed none of those since it "
         "started";
}

// One column of the results; absent ones are left out.
struct Column {
  const char *title;
  std::optional<EpochMetrics> metrics;
};

} // namespace

std::string placeOf(Batches done, const TrainingPlan &plan) {
  const std::uint64_t epochs = done.value() / plan.batchesPerEpoch;
  const std::uint64_t batches = done.value() % plan.batchesPerEpoch;
  const std::string all = " of " + std::to_string(plan.epochs);
  if (done == Batches(0))
    return "before the first batch";
  if (batches == 0)
    return "after epoch " + std::to_string(epochs) + all;
  return "in epoch " + std::to_string(epochs + 1) + all + ", after " +
         std::to_string(batches) + " of " +
         std::to_string(plan.batchesPerEpoch) + " batches";
}

std::string resumeCommand(const std::vector<std::string> &commandLine,
                          const std::string &run,
                          const outfeed::ReplicaSlice &slice) {
  const std::string poprun =
      slice.isSplit()
          ? "poprun --num-instances " + std::to_string(slice.instances) +
                " --num-replicas " + std::to_string(slice.replicas) + " "
          : "";
  return poprun + text::shellWord(commandLine.front()) + " train --resume " +
         text::shellWord(run);
}

std::string reportCommand(const std::vector<std::string> &commandLine,
                          const std::string &run) {
  return text::shellWord(commandLine.front()) + " report " +
         text::shellWord(run) + " -o report.html";
}

void printIntroduction(std::ostream &out, const Introduction &introduction) {
  const auto &[plan, data, device, log, resumeAt, faults, changes] =
      introduction;
  out << "data    " << text::countText(data.train.size()) << " training, ";
  if (data.validation.size())
    out << text::countText(data.validation.size()) << " validation, ";
  out << text::countText(data.test.size()) << " test images of "
      << data.train.rows << "x" << data.train.columns << ", " << data.classes
      << " classes\n"
      << "model   " << modelText(plan) << '\n'
      << "device  " << device << '\n'
      << "log     " << log << '\n';
  for (const std::string &fault : faults)
    out << "fault   " << fault << ", planted by --inject\n";
  if (resumeAt) {
    out << "resume  " << placeOf(*resumeAt, plan);
    if (resumeAt->value() == std::uint64_t(plan.epochs) * plan.batchesPerEpoch)
      out << ": nothing is left to train; --epochs can ask for more";
    out << '\n';
  }
  for (const std::string &change : changes)
    out << "change  " << change << '\n';
  out << std::flush;
}

void printResults(std::ostream &out, const TrainingPlan &plan,
                  const Results &results, std::size_t columns) {
  const Column sets[] = {
      {"training", results.training},
      {"validation", results.validation},
      {"test", EpochMetrics{Epoch(plan.epochs - 1), results.test}}};

  std::vector<std::string> heading{"metric"}, epochs{"epoch"};
  for (const auto &[title, metrics] : sets)
    if (metrics) {
      heading.emplace_back(title);
      epochs.push_back(std::to_string(metrics->epoch.number()));
    }
  text::Table table(heading);
  table.add(epochs);
  for (std::size_t i = 0; i < results.test.size(); ++i) {
    std::vector<std::string> row{results.test[i].name};
    for (const auto &[title, metrics] : sets)
      if (metrics)
        row.push_back(text::fourDecimals(metrics->values[i].value));
    table.add(row);
  }
  out << '\n';
  table.print(out, text::Layout::aligned);
  if (!results.training)
    out << "  no training: nothing was left to train\n";
  if (!results.validation)
    out << text::folded("  no validation: " + whyNotValidated(plan.preset),
                        columns)
        << '\n';
}

} // namespace popscope::host
