#include "host/plan/stage_assignment.hpp"

#include "graph/model_shapes.hpp"
#include "host/command.hpp"

#include <algorithm>
#include <sstream>
#include <variant>

namespace popscope::host {

namespace {

[[noreturn]] void fail(const std::string &text, const std::string &problem) {
  throw BadInput("--pipeline-stages " + text + ": " + problem);
}

bool hasWeights(const graph::LayerSpec &layer) {
  return std::holds_alternative<graph::Conv>(layer.kind) ||
         std::holds_alternative<graph::Dense>(layer.kind);
}

void spreadEvenly(graph::ModelSpec &model, unsigned stages,
                  const std::string &text) {
  const auto weighted = unsigned(
      std::count_if(model.layers.begin(), model.layers.end(), hasWeights));
  if (stages == 0)
    fail(text, "must be at least 1, which means no pipeline");
  if (stages > weighted)
    fail(text, "the model has only " + std::to_string(weighted) +
                   " layers with weights, and a stage needs one");
  // A layer without weights goes with the one before.
  unsigned seen = 0;
  for (graph::LayerSpec &layer : model.layers) {
    seen += hasWeights(layer);
    layer.stage = seen == 0 ? 0 : (seen - 1) * stages / weighted;
  }
}

std::string layerNames(const graph::ModelSpec &model) {
  std::string all;
  for (const graph::LayerSpec &layer : model.layers)
    all += (all.empty() ? "" : ", ") + layer.name;
  return all;
}

bool hasLayer(const graph::ModelSpec &model, const std::string &name) {
  return std::any_of(
      model.layers.begin(), model.layers.end(),
      [&](const graph::LayerSpec &layer) { return layer.name == name; });
}

void beginAt(graph::ModelSpec &model, const std::string &text) {
  std::istringstream names(text);
  std::string name;
  std::getline(names, name, ',');
  if (text.front() == ',' || text.back() == ',' ||
      text.find(",,") != std::string::npos)
    fail(text, "the name of a layer is missing");
  unsigned stage = 0;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    if (model.layers[i].name == name) {
      if (i == 0)
        fail(text, "layer " + name +
                       " is the first and begins a stage without being named");
      ++stage;
      if (!std::getline(names, name, ','))
        name.clear();
    }
    model.layers[i].stage = stage;
  }
  if (name.empty())
    return;
  if (hasLayer(model, name))
    fail(text, "name each layer once, in the order of the model: " +
                   layerNames(model));
  fail(text, "the model has no layer " + name + "; its layers are " +
                 layerNames(model));
}

} // namespace

void assignStages(graph::ModelSpec &model, const std::string &text) {
  const bool isNumber =
      text.find_first_not_of("0123456789") == std::string::npos;
  if (!isNumber)
    return beginAt(model, text);
  constexpr std::size_t kDigits = 4; // more than any model has layers
  const unsigned stages = text.size() > kDigits
                              ? unsigned(model.layers.size() + 1)
                              : unsigned(std::stoul(text));
  if (stages != graph::stageCount(model))
    spreadEvenly(model, stages, text);
}

} // namespace popscope::host
