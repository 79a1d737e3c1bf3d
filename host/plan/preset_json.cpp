#include "host/plan/preset_json.hpp"

#include "host/graph_page/overloaded.hpp"
#include "host/plan/training_plan.hpp"
#include "text/json_object.hpp"

#include <optional>

namespace popscope::host {

namespace {

using text::JsonObject;

// As it was written in decimal: 0.9, where a double of it has 17 digits.
std::string json(float value) { return text::shortestDecimal(value); }

template <class Number> std::string orNull(const std::optional<Number> &value) {
  return value ? std::to_string(*value) : "null";
}

std::string activationJson(graph::Activation activation) {
  constexpr const char *kNames[] = {"none", "relu", "selu", "softmax"};
  return text::jsonString(kNames[unsigned(activation)]);
}

std::string layerJson(const graph::LayerSpec &layer) {
  JsonObject object;
  object.string("name", layer.name);
  std::visit(
      Overloaded{
          [&](const graph::Conv &conv) {
            object.string("kind", "conv");
            object.count("filters", conv.filters);
            object.count("kernel", conv.kernel);
            object.add("activation", activationJson(conv.activation));
          },
          [&](const graph::MaxPool &pool) {
            object.string("kind", "max_pool");
            object.count("window", pool.window);
          },
          [&](const graph::GlobalMaxPool &) {
            object.string("kind", "global_max_pool");
          },
          [&](const graph::Flatten &) { object.string("kind", "flatten"); },
          [&](const graph::Dropout &dropout) {
            object.string("kind", "dropout");
            object.add("rate", json(dropout.rate));
          },
          [&](const graph::Dense &dense) {
            object.string("kind", "dense");
            object.count("units", dense.units);
            object.add("activation", activationJson(dense.activation));
          }},
      layer.kind);
  object.count("stage", layer.stage);
  return object.text();
}

std::string optimizerJson(const graph::OptimizerSpec &optimizer) {
  JsonObject object;
  object.string("kind", optimizerName(optimizer));
  std::visit(Overloaded{[&](const graph::Sgd &sgd) {
                          object.add("momentum", json(sgd.momentum));
                        },
                        [&](const graph::RmsProp &rmsProp) {
                          object.add("rho", json(rmsProp.rho));
                          object.add("epsilon", json(rmsProp.epsilon));
                        },
                        [&](const graph::Adam &adam) {
                          object.add("beta1", json(adam.beta1));
                          object.add("beta2", json(adam.beta2));
                          object.add("epsilon", json(adam.epsilon));
                        }},
             optimizer.kind);
  return object.text();
}

unsigned everyOf(const std::optional<Stagger> &stagger) {
  return stagger ? stagger->every : 0;
}

std::string settingsJson(const Preset &preset) {
  const bool validates = preset.validation != ValidationSet::none;
  JsonObject object;
  object.count("epochs", preset.epochs);
  object.add("batch-size", orNull(preset.batchSize));
  object.add("steps-per-epoch", orNull(preset.batchesPerEpoch));
  object.add("steps-per-execution", orNull(preset.batchesPerExecution));
  object.count("gradient-accumulation", preset.accumulation);
  object.string("learning-rate", preset.schedule.text());
  object.count("validate-every", validates ? preset.validationEvery : 0);
  object.count("evaluate-every", everyOf(preset.callbacks.evaluate));
  object.count("filters-every", everyOf(preset.callbacks.filters));
  object.count("histograms-every", preset.callbacks.histograms.every);
  return object.text();
}

} // namespace

std::string presetJson(const Preset &preset, const std::string &indent) {
  const std::string line = "\n" + indent + "  ";
  std::string layers;
  for (const graph::LayerSpec &layer : preset.model.layers)
    layers += (layers.empty() ? "" : ",") + line + "  " + layerJson(layer);
  return "{\"name\": " + text::jsonString(preset.name) + "," + line +
         "\"description\": " + text::jsonString(preset.description) + "," +
         line + "\"data\": " + text::jsonString(preset.dataName) + "," + line +
         "\"input\": " +
         text::jsonArray(preset.model.input,
                         [](std::size_t n) { return std::to_string(n); }) +
         "," + line + "\"layers\": [" + layers + "]," + line +
         "\"pipelined\": " + (preset.pipelined ? "true" : "false") + "," +
         line + "\"loss\": \"sparse_categorical_crossentropy\"," + line +
         "\"optimizer\": " + optimizerJson(preset.optimizer) + "," + line +
         "\"settings\": " + settingsJson(preset) + "}";
}

} // namespace popscope::host
