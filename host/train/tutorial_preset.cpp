#include "host/train/tutorial_preset.hpp"

#include "graph/models.hpp"
#include "host/command.hpp"

#include <algorithm>

namespace popscope::host {

namespace {

using graph::TensorKind;
using Filters = std::vector<std::string>;

bool hasNone(const Filters &filters) {
  return std::find(filters.begin(), filters.end(), "none") != filters.end();
}

// What a rule needs besides to choose names that contain any of the filters.
std::string namesWith(const Filters &filters) {
  if (hasNone(filters))
    return "";
  std::string either;
  for (const std::string &filter : filters)
    either += (either.empty() ? "\"" : " | \"") + filter + "\"";
  return " & (" + either + ")";
}

std::string titleOf(const char *option, const Filters &filters) {
  std::string title = option;
  for (const std::string &filter : filters)
    title += " " + filter;
  return title;
}

PresetTap gradientsTap(const TutorialOptions &options) {
  const char *const moment =
      options.outfeedPreAccumulatedGradients ? "microBatch" : "accumulated";
  return {titleOf("--gradients-filters", options.gradientsFilters),
          std::string("kind:gradient & at:") + moment +
              namesWith(options.gradientsFilters)};
}

PresetTap activationsTap(const TutorialOptions &options, bool singleOutfeed) {
  return {titleOf("--activations-filters", options.activationsFilters),
          singleOutfeed ? "name:Dense_128_acts"
                        : "(name:Dense_128_acts | name:Dense_10_acts)" +
                              namesWith(options.activationsFilters)};
}

} // namespace

void makeTutorial(Preset &preset, const TutorialOptions &options) {
  preset.batchesPerEpoch = 2000;
  preset.epochs = 3;
  preset.accumulation = 4;
  preset.pipelined = true;
  if (options.noPipelining) {
    preset.model = graph::mlpModel(graph::MlpLayers::withoutDense256);
    preset.pipelined = false;
    if (!options.useGradientAccumulation)
      preset.accumulation = 1;
  }
  // Without a pipeline, the tutorial's functional model sends the activations
  // of one layer, and filters none.
  const bool singleOutfeed =
      options.modelType == ModelType::functional && options.noPipelining;
  if (singleOutfeed && !hasNone(options.activationsFilters))
    throw BadInput("--activations-filters has no effect with --model-type "
                   "Model and --no-pipelining, which always show "
                   "Dense_128_acts");
  preset.inspection.taps = {gradientsTap(options),
                            activationsTap(options, singleOutfeed)};
  preset.inspection.tables = {{"Gradients callback", {TensorKind::gradient}},
                              {singleOutfeed
                                   ? "Single layer activations callback"
                                   : "Multi-layer activations callback",
                               {TensorKind::activation}}};
  preset.inspection.tablesPrinted = TablesPrinted::afterEveryEpoch;
  preset.inspection.numbers = outfeed::TableNumbers::sixDecimals;
}

} // namespace popscope::host
