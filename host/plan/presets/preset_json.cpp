#include "host/plan/presets/preset_json.hpp"

#include "host/graph_page/overloaded.hpp"
#include "host/plan/presets/model_words.hpp"
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
  return text::jsonString(activationWords()[unsigned(activation)]);
}

std::string layerJson(const graph::LayerSpec &layer) {
  JsonObject object;
  object.string("name", layer.name);
  object.string("kind", layerWords()[layer.kind.index()]);
  std::visit(
      Overloaded{[&](const graph::Conv &conv) {
                   object.count("filters", conv.filters);
                   object.count("kernel", conv.kernel);
                   object.add("activation", activationJson(conv.activation));
                 },
                 [&](const graph::MaxPool &pool) {
                   object.count("window", pool.window);
                 },
                 [](const graph::GlobalMaxPool &) {},
                 [](const graph::Flatten &) {},
                 [&](const graph::Dropout &dropout) {
                   object.add("rate", json(dropout.rate));
                 },
                 [&](const graph::Dense &dense) {
                   object.count("units", dense.units);
                   object.add("activation", activationJson(dense.activation));
                 }},
      layer.kind);
  object.count("stage", layer.stage);
  return object.text();
}

std::string optimizerJson(const graph::OptimizerSpec &optimizer) {
  JsonObject object;
  object.string("kind", optimizerWords()[optimizer.kind.index()]);
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

std::string picturesJson(const PresetCallbacks &callbacks) {
  JsonObject object;
  object.add("learning-rate", callbacks.learningRate ? "true" : "false");
  object.count("confusion-matrix-every", everyOf(callbacks.confusionMatrix));
  object.count("test-curves-every", everyOf(callbacks.testCurves));
  object.count("test-sheets-every", everyOf(callbacks.testSheet));
  return object.text();
}

std::string metricsJson(const MetricChoice &metrics) {
  JsonObject object;
  object.add("auc", metrics.auc ? "true" : "false");
  object.count("top-k", metrics.topK);
  return object.text();
}

std::string inputJson(const graph::ModelSpec &model) {
  return text::jsonArray(model.input,
                         [](std::size_t n) { return std::to_string(n); });
}

std::string classesJson(const Preset &preset) {
  return text::jsonArray(preset.classNames, text::jsonString);
}

} // namespace

std::string modelJson(const Preset &preset) {
  JsonObject object;
  object.add("input", inputJson(preset.model));
  object.add("layers", text::jsonArray(preset.model.layers, layerJson));
  object.add("optimizer", optimizerJson(preset.optimizer));
  object.add("metrics", metricsJson(preset.metrics));
  object.add("classes", classesJson(preset));
  object.string("validation", validationWords()[unsigned(preset.validation)]);
  return object.text();
}

std::string presetJson(const Preset &preset, const std::string &indent) {
  const std::string line = "\n" + indent + "  ";
  std::string layers;
  for (const graph::LayerSpec &layer : preset.model.layers)
    layers += (layers.empty() ? "" : ",") + line + "  " + layerJson(layer);
  std::string text = "{";
  const auto add = [&](const char *key, const std::string &json) {
    text += (text.size() > 1 ? "," + line : "") + text::jsonString(key) + ": " +
            json;
  };
  const auto word = [](const std::vector<std::string> &words, auto value) {
    return text::jsonString(words[unsigned(value)]);
  };
  add("name", text::jsonString(preset.name));
  add("description", text::jsonString(preset.description));
  add("data", text::jsonString(preset.dataName));
  add("data-format", word(formatWords(), preset.format));
  add("classes", classesJson(preset));
  add("input", inputJson(preset.model));
  add("layers", "[" + layers + "]");
  add("pipelined", preset.pipelined ? "true" : "false");
  add("loss", word(lossWords(), 0));
  add("optimizer", optimizerJson(preset.optimizer));
  add("metrics", metricsJson(preset.metrics));
  add("validation", word(validationWords(), preset.validation));
  add("settings", settingsJson(preset));
  add("pictures", picturesJson(preset.callbacks));
  add("taps", text::jsonArray(preset.inspection.taps, [](const PresetTap &tap) {
        return text::jsonString(tap.rule);
      }));
  return text + "}";
}

} // namespace popscope::host
