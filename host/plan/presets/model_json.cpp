#include "host/plan/presets/model_json.hpp"

#include "graph/model_shapes.hpp"
#include "host/command.hpp"
#include "host/plan/presets/model_words.hpp"
#include "text/json_fields.hpp"
#include "text/number_text.hpp"
#include "text/quoting.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace popscope::host {

namespace {

using text::JsonFields;
using text::JsonValue;

constexpr std::uint64_t kMostSize = 1 << 20; // of one dimension
constexpr std::size_t kMostLayers = 1000;
// Of the weights together, and of the output for one image: 1 GiB of floats,
// more than the memory of a device.
constexpr double kMostElements = 1 << 28;

graph::Activation activationOf(const JsonFields &fields,
                               graph::Activation fallback) {
  return graph::Activation(
      fields.word("activation", activationWords(), unsigned(fallback)));
}

// The key "kind" decides which others there are.
std::vector<std::string> keysOf(const std::string &kind) {
  std::vector<std::string> keys{"name", "kind"};
  if (kind == "conv")
    keys.insert(keys.end(), {"filters", "kernel", "activation"});
  else if (kind == "max_pool")
    keys.emplace_back("window");
  else if (kind == "dropout")
    keys.emplace_back("rate");
  else if (kind == "dense")
    keys.insert(keys.end(), {"units", "activation"});
  keys.emplace_back("stage");
  return keys;
}

// Every key of any kind, for a layer whose kind is not known yet.
const std::vector<std::string> &allKeys() {
  static const std::vector<std::string> kKeys{"name",   "kind",       "filters",
                                              "kernel", "window",     "rate",
                                              "units",  "activation", "stage"};
  return kKeys;
}

// The index of the word of the key "kind". Other keys are looked at only if
// that says nothing: each kind has its own.
unsigned kindOf(const JsonValue &value, const std::string &place,
                const std::vector<std::string> &allKeys,
                const std::vector<std::string> &words) {
  const auto known =
      std::find(words.begin(), words.end(), value["kind"].stringOr(""));
  return known != words.end()
             ? unsigned(known - words.begin())
             : JsonFields(value, place, allKeys).word("kind", words);
}

graph::LayerSpec layerOf(const JsonValue &value, std::size_t index,
                         unsigned stageBefore) {
  std::string place = "layer " + std::to_string(index);
  if (const std::string name = value["name"].stringOr(""); isPlainName(name))
    place = "layer " + name;
  const unsigned kind = kindOf(value, place, allKeys(), layerWords());
  const JsonFields fields(value, place + " (" + layerWords()[kind] + ")",
                          keysOf(layerWords()[kind]));
  graph::LayerSpec layer;
  layer.name = fields.string("name");
  if (!isPlainName(layer.name))
    fields.fail("name", kPlainName);
  const auto size = [&](const char *key,
                        const std::optional<std::uint64_t> &fallback = {}) {
    return std::size_t(fields.count(key, 1, kMostSize, fallback));
  };
  const decltype(layer.kind) kinds[] = {
      graph::Conv{},    graph::MaxPool{}, graph::GlobalMaxPool{},
      graph::Flatten{}, graph::Dropout{}, graph::Dense{}};
  layer.kind = kinds[kind];
  if (auto *const conv = std::get_if<graph::Conv>(&layer.kind)) {
    conv->filters = size("filters");
    conv->kernel = size("kernel", conv->kernel);
    conv->activation = activationOf(fields, conv->activation);
  } else if (auto *const pool = std::get_if<graph::MaxPool>(&layer.kind)) {
    pool->window = size("window", pool->window);
  } else if (auto *const dropout = std::get_if<graph::Dropout>(&layer.kind)) {
    dropout->rate = fields.number("rate", 0.0f, 1.0f, dropout->rate);
  } else if (auto *const dense = std::get_if<graph::Dense>(&layer.kind)) {
    dense->units = size("units");
    dense->activation = activationOf(fields, dense->activation);
  }
  layer.stage = unsigned(fields.count("stage", 0, kMostLayers, stageBefore));
  return layer;
}

std::vector<std::size_t> inputOf(const JsonValue &value) {
  std::vector<std::size_t> input;
  for (const JsonValue &size : value.items())
    input.push_back(std::size_t(size.countOr(0, kMostSize)));
  bool isRight = input.size() == 1 || input.size() == 3;
  for (const std::size_t size : input)
    isRight = isRight && size != 0;
  if (!isRight)
    throw std::invalid_argument(
        "\"input\": has to be [height, width, channels], such as [28, 28, 1], "
        "or [features], such as [784]");
  return input;
}

double elementsOf(const std::vector<std::size_t> &shape) {
  double elements = 1;
  for (const std::size_t size : shape)
    elements *= double(size);
  return elements;
}

// The kernel; in doubles, which do not wrap around.
double weightsOf(const graph::LayerSpec &layer,
                 const std::vector<std::size_t> &in) {
  if (const auto *const conv = std::get_if<graph::Conv>(&layer.kind))
    return double(conv->kernel) * double(conv->kernel) * double(in.back()) *
           double(conv->filters);
  if (const auto *const dense = std::get_if<graph::Dense>(&layer.kind))
    return double(in.back()) * double(dense->units);
  return 0;
}

void checkSizes(const graph::ModelSpec &model) {
  const std::vector<std::vector<std::size_t>> shapes = outputShapes(model);
  double weights = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const graph::LayerSpec &layer = model.layers[i];
    const auto refuse = [&](double elements, const std::string &what) {
      if (elements > kMostElements)
        throw std::invalid_argument("layer " + layer.name + ": " + what + " " +
                                    text::significant(elements, 3) +
                                    " elements, more than the " +
                                    text::withThousands(kMostElements) +
                                    " that fit on a device; make it smaller");
    };
    weights += weightsOf(layer, i == 0 ? model.input : shapes[i - 1]);
    refuse(elementsOf(shapes[i]), "its output for an image has");
    refuse(weights, "with it, the weights of the model have");
  }
}

} // namespace

const char kPlainName[] = "has to be 1 to 64 letters, digits, '_', '.' or '-', "
                          "and to begin with a letter, a digit or '_'";

bool isPlainName(const std::string &text) {
  constexpr std::size_t kMostLength = 64;
  return text.size() <= kMostLength && !text.empty() && text.front() != '.' &&
         text.front() != '-' &&
         text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789_.-") ==
             std::string::npos;
}

graph::ModelSpec modelSpecOf(const JsonValue &input, const JsonValue &layers) {
  graph::ModelSpec model;
  model.name = "model";
  model.input = inputOf(input);
  if (layers.items().empty() || layers.items().size() > kMostLayers)
    throw std::invalid_argument("\"layers\": has to be a list of 1 to " +
                                std::to_string(kMostLayers) + " layers");
  unsigned stage = 0;
  for (const JsonValue &layer : layers.items()) {
    model.layers.push_back(layerOf(layer, model.layers.size(), stage));
    stage = model.layers.back().stage;
  }
  try {
    checkSizes(model);
  } catch (const std::invalid_argument &error) {
    throw std::invalid_argument(withoutRoom(error.what()));
  }
  return model;
}

graph::OptimizerSpec optimizerOf(const JsonValue &value) {
  if (value.isNull())
    return {graph::Sgd{}, 0.01f};
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kSmallest = std::numeric_limits<float>::min();
  const std::string place = "\"optimizer\"";
  const std::vector<std::string> all{"kind",  "momentum", "rho",
                                     "beta1", "beta2",    "epsilon"};
  const unsigned kind = kindOf(value, place, all, optimizerWords());
  const std::vector<std::string> keys[] = {
      {"kind", "momentum"},
      {"kind", "rho", "epsilon"},
      {"kind", "beta1", "beta2", "epsilon"}};
  const JsonFields fields(value, place + " (" + optimizerWords()[kind] + ")",
                          keys[kind]);
  if (kind == 0) {
    graph::Sgd sgd;
    sgd.momentum = fields.number("momentum", 0.0f, 1.0f, sgd.momentum);
    return {sgd, 0.01f};
  }
  const auto epsilon = [&](float fallback) {
    return fields.number("epsilon", kSmallest, kInfinity, fallback);
  };
  if (kind == 1) {
    graph::RmsProp rmsProp;
    rmsProp.rho = fields.number("rho", 0.0f, 1.0f, rmsProp.rho);
    rmsProp.epsilon = epsilon(rmsProp.epsilon);
    return {rmsProp, 0.001f};
  }
  graph::Adam adam;
  adam.beta1 = fields.number("beta1", 0.0f, 1.0f, adam.beta1);
  adam.beta2 = fields.number("beta2", 0.0f, 1.0f, adam.beta2);
  adam.epsilon = epsilon(adam.epsilon);
  return {adam, 0.001f};
}

} // namespace popscope::host
