#include "host/plan/option_combinations.hpp"

#include "host/command.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace popscope::host {

namespace {

bool isGiven(const TutorialOptions &options, const std::string &name) {
  return std::find(options.given.begin(), options.given.end(), name) !=
         options.given.end();
}

// What is changed while the program runs needs live control.
void checkInterventions(const TrainOptions &options) {
  const InspectionOptions &inspection = options.inspection;
  if (inspection.interventions.empty())
    return;
  const std::pair<bool, const char *> without[] = {
      {options.noInspection, "--no-inspection"},
      {inspection.noControl, "--no-control"},
      {inspection.recorderUpdates != 0, "--recorder"},
      {inspection.onAlarm == OnAlarm::dump, "--on-alarm dump"}};
  for (const auto &[given, option] : without)
    if (given)
      throw BadInput(std::string("--allow-intervention needs live control, "
                                 "which there is not with ") +
                     option + "; leave one of them out");
}

void checkInspection(const TrainOptions &options, const Preset &preset) {
  const InspectionOptions &inspection = options.inspection;
  const bool hasRules = !inspection.rules.empty() ||
                        !preset.inspection.taps.empty() ||
                        !inspection.checks.empty();
  if (hasRules && !options.noInspection)
    return;
  const auto needsTaps = [&](bool given, const std::string &option) {
    if (given)
      throw BadInput(option + " has no effect " +
                     (options.noInspection ? "with --no-inspection"
                                           : "without --tap: nothing is "
                                             "watched"));
  };
  for (const char *option : {"--gradients-filters", "--activations-filters",
                             "--outfeed-pre-accumulated-gradients"})
    needsTaps(isGiven(options.tutorial, option), option);
  needsTaps(inspection.watch, "--watch");
  needsTaps(!inspection.json.empty(), "--inspect-json");
  needsTaps(inspection.debugger &&
                (inspection.noHealth || options.noInspection),
            "--debugger");
  needsTaps(inspection.keepApart, "--keep-apart");
  needsTaps(inspection.mergeReplicas, "--merge-replicas");
  needsTaps(inspection.dropFrames, "--drop-frames");
}

void checkBudget(const TrainOptions &options, const Preset &preset) {
  const InspectionOptions &inspection = options.inspection;
  if (!inspection.budget)
    return;
  if (options.noInspection)
    throw BadInput("--budget has no effect with --no-inspection");
  if (inspection.rules.empty() && preset.inspection.taps.empty())
    throw BadInput("--budget has no effect without --tap: only what rules "
                   "sample is thinned");
  const auto needsControl = [](bool given, const std::string &option) {
    if (given)
      throw BadInput("--budget turns rules on and off to time them, which " +
                     option + " makes impossible; give only one of them");
  };
  needsControl(inspection.noControl, "--no-control");
  needsControl(inspection.recorderUpdates != 0, "--recorder");
  needsControl(inspection.onAlarm == OnAlarm::dump, "--on-alarm dump");
}

} // namespace

void checkMergedReplicas(const TrainOptions &options) {
  if (!options.inspection.mergeReplicas)
    return;
  if (options.inspection.keepApart)
    throw BadInput("--merge-replicas makes one sample of all replicas and "
                   "--keep-apart one of each; give only one of them");
  if (options.replicas == 1)
    throw BadInput("--merge-replicas has no effect without --replicas: there "
                   "is one");
}

void checkCombinations(const TrainOptions &options, const Preset &preset) {
  if (options.resume && options.clean)
    throw BadInput("--resume continues a run and --clean deletes it; give only "
                   "one of them");
  if (options.resume && options.run.empty())
    throw BadInput("--resume needs --run, the name of the run to continue, or "
                   "its directory: --resume logs/NAME");
  if (options.clean && options.run.empty())
    throw BadInput("--clean has no effect without --run: a run without a name "
                   "is always new");
  if (options.quiet && options.inspection.watch)
    throw BadInput("--watch shows a table and --quiet nothing; give only one "
                   "of them");
  if (options.tutorial.noPipelining && options.pipelineStages)
    throw BadInput("--pipeline-stages and --no-pipelining both decide the "
                   "stages; give only one of them");
  if (options.force &&
      (options.inspection.json.empty() || options.inspection.jsonToStdout()))
    throw BadInput("--force has no effect without --inspect-json FILE, which "
                   "it overwrites");
  if (options.noInspection || options.inspection.noHealth) {
    const std::string with =
        options.noInspection ? "--no-inspection" : "--no-health";
    if (options.inspection.onAlarm != OnAlarm::warn)
      throw BadInput("--on-alarm has no effect with " + with);
    if (!options.inspection.infinitiesIntended.empty())
      throw BadInput("--infinities-intended has no effect with " + with);
  }
  if (options.inspection.dumpBudget &&
      options.inspection.onAlarm != OnAlarm::dump)
    throw BadInput("--dump-budget has no effect without --on-alarm dump");
  if (options.noInspection && !options.inspection.checks.empty())
    throw BadInput("--checks has no effect with --no-inspection");
  if (options.noInspection && !options.inspection.faults.empty())
    throw BadInput("--inject has no effect with --no-inspection");
  checkInterventions(options);
  checkInspection(options, preset);
  checkMergedReplicas(options);
  checkBudget(options, preset);
}

std::vector<std::string>
ineffectiveTutorialOptions(const TrainOptions &options) {
  const TutorialOptions &tutorial = options.tutorial;
  const bool isPipelined = !tutorial.noPipelining;
  const bool accumulates =
      options.accumulation ? *options.accumulation > 1
                           : isPipelined || tutorial.useGradientAccumulation;
  std::vector<std::string> lines;
  const auto point = [&lines](bool hasNoEffect, const std::string &line) {
    if (hasNoEffect)
      lines.push_back(line);
  };
  const bool isFunctional = tutorial.modelType == ModelType::functional;
  point(isFunctional && isPipelined,
        "--model-type Model has no effect without --no-pipelining: both "
        "pipelined models are the same");
  point(tutorial.useGradientAccumulation && isPipelined,
        "--use-gradient-accumulation has no effect without --no-pipelining: a "
        "pipeline always accumulates");
  point(tutorial.useGradientAccumulation && !isPipelined &&
            options.accumulation,
        "--use-gradient-accumulation has no effect with "
        "--gradient-accumulation, which says how many batches");
  point(tutorial.outfeedPreAccumulatedGradients && !accumulates,
        "--outfeed-pre-accumulated-gradients has no effect without gradient "
        "accumulation: an update has one batch");
  point(isFunctional && !isPipelined &&
            isGiven(tutorial, "--activations-filters"),
        "--activations-filters has no effect with --model-type Model and "
        "--no-pipelining, which always show Dense_128_acts");
  return lines;
}

} // namespace popscope::host
