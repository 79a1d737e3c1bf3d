#include "host/train/option_combinations.hpp"

#include "host/command.hpp"

#include <string>

namespace popscope::host {

namespace {

void checkInspection(const TrainOptions &options, const Preset &preset) {
  const InspectionOptions &inspection = options.inspection;
  const bool hasRules =
      !inspection.rules.empty() || !preset.inspection.taps.empty();
  if (hasRules && !options.noInspection)
    return;
  const auto needsTaps = [&](bool given, const std::string &option) {
    if (given)
      throw BadInput(option + " has no effect " +
                     (options.noInspection ? "with --no-inspection"
                                           : "without --tap: nothing is "
                                             "watched"));
  };
  needsTaps(inspection.watch, "--watch");
  needsTaps(!inspection.json.empty(), "--inspect-json");
  needsTaps(inspection.keepApart, "--keep-apart");
  needsTaps(inspection.dropFrames, "--drop-frames");
}

} // namespace

void checkCombinations(const TrainOptions &options, const Preset &preset) {
  if (options.resume && options.clean)
    throw BadInput("--resume continues a run and --clean deletes it; give only "
                   "one of them");
  if (options.resume && options.run.empty())
    throw BadInput("--resume needs --run, the name of the run to continue");
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
  checkInspection(options, preset);
}

} // namespace popscope::host
