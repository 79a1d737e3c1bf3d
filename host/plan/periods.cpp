#include "host/plan/periods.hpp"

#include "host/command.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

namespace popscope::host {

namespace {

bool hasConvolutions(const graph::ModelSpec &model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const graph::LayerSpec &layer) {
                       return std::holds_alternative<graph::Conv>(layer.kind);
                     });
}

void replace(std::optional<Stagger> &stagger,
             const std::optional<unsigned> &every) {
  if (!every)
    return;
  stagger.reset();
  if (*every != 0)
    stagger = Stagger{*every};
}

} // namespace

void choosePeriods(TrainingPlan &plan, const PeriodOptions &options) {
  Preset &preset = plan.preset;
  if (options.validate && preset.validation == ValidationSet::none)
    throw BadInput("--validate-every has no effect with " + preset.title +
                   ", which has no validation set; --evaluate-every measures "
                   "on the test set");
  if (options.filters && !hasConvolutions(plan.spec.model))
    throw BadInput("--filters-every has no effect with " + preset.title +
                   ", whose model has no convolutions");
  PresetCallbacks &callbacks = preset.callbacks;
  replace(callbacks.evaluate, options.evaluate);
  replace(callbacks.filters, options.filters);
  if (options.histograms)
    callbacks.histograms = Stagger{*options.histograms};
  if (!options.validate)
    return;
  preset.validationEvery = *options.validate;
  if (preset.validationEvery == 0)
    preset.validation = ValidationSet::none;
}

std::vector<std::string> periodsNeverDue(const TrainingPlan &plan,
                                         const PeriodOptions &options) {
  const std::pair<const char *, std::optional<unsigned>> given[] = {
      {"--evaluate-every", options.evaluate},
      {"--validate-every", options.validate},
      {"--filters-every", options.filters},
      {"--histograms-every", options.histograms}};
  std::vector<std::string> lines;
  for (const auto &[name, every] : given)
    if (every && *every > plan.epochs)
      lines.push_back(std::string(name) + " " + std::to_string(*every) +
                      ": never due; the training has " +
                      std::to_string(plan.epochs) +
                      (plan.epochs == 1 ? " epoch" : " epochs"));
  return lines;
}

} // namespace popscope::host
