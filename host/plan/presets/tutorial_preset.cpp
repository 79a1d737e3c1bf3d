#include "host/plan/presets/tutorial_preset.hpp"

#include "graph/models.hpp"
#include "text/nearest_names.hpp"

namespace popscope::host {

namespace {

using graph::TensorKind;
using Filters = std::vector<std::string>;

// The tutorial also takes "None".
bool isNone(const Filters &filters) {
  return filters.size() == 1 && text::changesBetween(filters[0], "none") == 0;
}

// What a rule needs besides to choose names that contain any of the filters.
std::string namesWith(const Filters &filters) {
  if (isNone(filters))
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
  const std::string among = std::string("kind:gradient & at:") + moment;
  return {titleOf("--gradients-filters", options.gradientsFilters),
          among + namesWith(options.gradientsFilters), among,
          options.gradientsFilters};
}

PresetTap activationsTap(const TutorialOptions &options, bool singleOutfeed) {
  const std::string both = "(name:Dense_128_acts | name:Dense_10_acts)";
  return {titleOf("--activations-filters", options.activationsFilters),
          singleOutfeed ? "name:Dense_128_acts"
                        : both + namesWith(options.activationsFilters),
          both, options.activationsFilters};
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
  preset.inspection.taps = {gradientsTap(options),
                            activationsTap(options, singleOutfeed)};
  preset.inspection.tables = {{"Gradients callback", {TensorKind::gradient}},
                              {singleOutfeed
                                   ? "Single layer activations callback"
                                   : "Multi-layer activations callback",
                               {TensorKind::activation}}};
  preset.inspection.tablesPrinted = TablesPrinted::afterEveryEpoch;
  preset.inspection.tableForm = outfeed::TableForm::tutorial;
}

} // namespace popscope::host
