#include "host/plan/presets/model_file.hpp"

#include "graph/model_shapes.hpp"
#include "host/command.hpp"
#include "host/plan/presets/model_json.hpp"
#include "host/plan/presets/model_words.hpp"
#include "host/run/text_file.hpp"
#include "outfeed/rules/tap_rule.hpp"
#include "text/json_fields.hpp"
#include "text/nearest_names.hpp"
#include "text/quoting.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>

namespace popscope::host {

namespace {

using text::JsonFields;
using text::JsonValue;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr std::size_t kMostClasses = 1000;
constexpr std::size_t kMostTextLength = 100;
constexpr std::size_t kMostScheduleLength = 1000;
constexpr unsigned kMostNumber = std::numeric_limits<unsigned>::max();

std::string shortText(const JsonFields &fields, const std::string &key,
                      const std::string &text) {
  if (text.empty() || text.size() > kMostTextLength ||
      text::oneLine(text) != text)
    fields.fail(key, "a text here has 1 to " + std::to_string(kMostTextLength) +
                         " characters in one line");
  return text;
}

// It names the directory of the run.
std::string nameOf(const JsonFields &fields) {
  const std::string name = fields.string("name", "model");
  if (!isPlainName(name))
    fields.fail("name", kPlainName);
  return name;
}

// A word is a set that comes with PopScope, a path a directory.
void readData(Preset &preset, const JsonFields &fields) {
  preset.dataName = shortText(fields, "data", fields.string("data"));
  const bool isPath = preset.dataName.find('/') != std::string::npos;
  const std::vector<std::string> &bundled = bundledSets();
  if (!isPath && std::find(bundled.begin(), bundled.end(), preset.dataName) ==
                     bundled.end())
    fields.fail("data", "no set " + text::jsonString(preset.dataName) +
                            " comes with PopScope; did you mean " +
                            text::jsonString(
                                text::nearestName(preset.dataName, bundled)) +
                            "? The name of a directory has a slash: " +
                            text::jsonString("./" + preset.dataName));
  const DataFormat usual =
      preset.dataName == "digits" ? DataFormat::digits : DataFormat::idx;
  preset.format =
      DataFormat(fields.word("data-format", formatWords(), unsigned(usual)));
}

void readClasses(Preset &preset, const JsonFields &fields) {
  const graph::LayerSpec &last = preset.model.layers.back();
  const std::size_t classes = std::get<graph::Dense>(last.kind).units;
  if (classes > kMostClasses)
    throw std::invalid_argument(
        "layer " + last.name + ": \"units\": " + std::to_string(classes) +
        " classes; a model has at most " + std::to_string(kMostClasses));
  for (const JsonValue &name : fields.array("classes", "[\"cat\", \"dog\"]"))
    preset.classNames.push_back(
        shortText(fields, "classes", name.stringOr("")));
  if (!fields.has("classes"))
    for (std::size_t i = 0; i < classes; ++i)
      preset.classNames.push_back(std::to_string(i));
  if (preset.classNames.size() != classes)
    fields.fail("classes", "has " + std::to_string(preset.classNames.size()) +
                               " names, and the last layer, " + last.name +
                               ", has " + std::to_string(classes) +
                               " units; make them equal");
}

LearningRateSchedule scheduleOf(const JsonFields &fields, float usual) {
  const std::string key = "learning-rate";
  if (!fields.has(key))
    return LearningRateSchedule(usual);
  const JsonValue &value = fields[key];
  std::string text = value.stringOr("");
  if (value.numberOr(0) > 0)
    text = text::toJson(value);
  if (text.size() > kMostScheduleLength || text::oneLine(text) != text ||
      text.empty())
    fields.fail(key, "has to be a positive number, or a text of several with "
                     "the epochs they begin at: \"0.01,0.001@6\"");
  try {
    return LearningRateSchedule::parse(text);
  } catch (const std::invalid_argument &error) {
    fields.fail(key, error.what());
  }
}

std::optional<Stagger> staggerOf(const JsonFields &fields,
                                 const std::string &key, bool alsoFirst) {
  const auto every = unsigned(fields.count(key, 0, kMostNumber, 0));
  return every == 0 ? std::nullopt : std::optional(Stagger{every, alsoFirst});
}

void readValidation(Preset &preset, const JsonFields &fields,
                    const JsonFields &settings) {
  preset.validation =
      ValidationSet(fields.word("validation", validationWords(), 0));
  const bool validates = preset.validation != ValidationSet::none;
  preset.validationEvery = unsigned(
      settings.count("validate-every", 0, kMostNumber, validates ? 1 : 0));
  if (validates && preset.validationEvery == 0)
    settings.fail("validate-every",
                  "0 is never; write \"validation\": \"none\" instead");
  if (!validates && preset.validationEvery != 0)
    settings.fail("validate-every",
                  "there is no validation set; write \"validation\": "
                  "\"split\" or \"test\" beside \"settings\"");
}

void readSettings(Preset &preset, const JsonFields &settings) {
  const auto count = [&](const char *key, std::uint64_t fallback) {
    return unsigned(settings.count(key, 1, kMostNumber, fallback));
  };
  preset.epochs = count("epochs", preset.epochs);
  constexpr unsigned kUsualBatch = 32;
  if (!settings.has("batch-size"))
    preset.batchSize = kUsualBatch;
  else if (!settings.isNull("batch-size"))
    preset.batchSize = count("batch-size", 0);
  if (!settings.isNull("steps-per-epoch"))
    preset.batchesPerEpoch = std::size_t(
        settings.count("steps-per-epoch", 1, JsonValue::kMostCount));
  if (!settings.isNull("steps-per-execution"))
    preset.batchesPerExecution = count("steps-per-execution", 0);
  preset.accumulation = count("gradient-accumulation", preset.accumulation);
  preset.schedule = scheduleOf(settings, preset.optimizer.learningRate);
  preset.optimizer.learningRate = preset.schedule.at(0);
  preset.callbacks.evaluate = staggerOf(settings, "evaluate-every", false);
  preset.callbacks.filters = staggerOf(settings, "filters-every", false);
  preset.callbacks.histograms.every = unsigned(settings.count(
      "histograms-every", 0, kMostNumber, preset.callbacks.histograms.every));
}

void readPictures(PresetCallbacks &callbacks, const JsonFields &pictures) {
  callbacks.learningRate = pictures.boolean("learning-rate", false);
  callbacks.confusionMatrix =
      staggerOf(pictures, "confusion-matrix-every", false);
  callbacks.testCurves = staggerOf(pictures, "test-curves-every", true);
  callbacks.testSheet = staggerOf(pictures, "test-sheets-every", true);
}

void readTaps(Preset &preset, const JsonFields &fields) {
  for (const JsonValue &rule :
       fields.array("taps", "[\"kind:gradient @ every 10\"]")) {
    PresetTap tap;
    tap.title = "taps[" + std::to_string(preset.inspection.taps.size()) + "]";
    tap.rule = rule.stringOr("");
    if (tap.rule.empty() || text::oneLine(tap.rule) != tap.rule)
      fields.fail(tap.title + ": has to be a rule in one line, such as "
                              "\"kind:gradient @ every 10\"");
    try {
      outfeed::parseTapRule(tap.rule);
    } catch (const std::invalid_argument &error) {
      // Its other lines show where.
      const std::string problem = withoutRoom(error.what());
      fields.fail(tap.title + " '" + tap.rule +
                  "': " + problem.substr(0, problem.find('\n')));
    }
    preset.inspection.taps.push_back(tap);
  }
}

const JsonValue &objectOrEmpty(const JsonFields &fields,
                               const std::string &key) {
  static const JsonValue empty{JsonValue::Object()};
  return fields.has(key) ? fields[key] : empty;
}

} // namespace

Preset parseModel(std::string_view json) {
  if (json.size() > kMostBytes)
    throw std::invalid_argument("has more than " + std::to_string(kMostBytes) +
                                " bytes; a model file is text of a few "
                                "hundred lines");
  const JsonValue file = text::parseJson(json);
  const JsonFields fields(file, "",
                          {"name", "description", "data", "data-format",
                           "classes", "input", "layers", "pipelined", "loss",
                           "optimizer", "metrics", "validation", "settings",
                           "pictures", "taps"});
  Preset preset;
  preset.name = nameOf(fields);
  preset.description = shortText(fields, "description",
                                 fields.string("description", "a model file"));
  readData(preset, fields);
  preset.model = modelSpecOf(fields["input"], fields["layers"]);
  preset.model.name = preset.name;
  readClasses(preset, fields);
  const unsigned stages = graph::stageCount(preset.model);
  preset.pipelined = fields.boolean("pipelined", stages > 1);
  if (preset.pipelined && stages < 2)
    fields.fail("pipelined", "a pipeline needs two stages; give later layers "
                             "\"stage\": 1, or write false");
  (void)fields.word("loss", lossWords(), 0);
  preset.optimizer = optimizerOf(fields["optimizer"]);

  const JsonFields metrics(objectOrEmpty(fields, "metrics"), "\"metrics\"",
                           {"auc", "top-k"});
  preset.metrics.auc = metrics.boolean("auc", false);
  preset.metrics.topK =
      unsigned(metrics.count("top-k", 0, preset.classNames.size(), 0));

  const JsonFields settings(
      objectOrEmpty(fields, "settings"), "\"settings\"",
      {"epochs", "batch-size", "steps-per-epoch", "steps-per-execution",
       "gradient-accumulation", "learning-rate", "validate-every",
       "evaluate-every", "filters-every", "histograms-every"});
  readValidation(preset, fields, settings);
  readSettings(preset, settings);
  readPictures(preset.callbacks,
               JsonFields(objectOrEmpty(fields, "pictures"), "\"pictures\"",
                          {"learning-rate", "confusion-matrix-every",
                           "test-curves-every", "test-sheets-every"}));
  readTaps(preset, fields);
  preset.source = text::toJson(file);
  return preset;
}

Preset readModel(const std::string &file, const std::string &content) {
  try {
    Preset preset = parseModel(content);
    preset.title = "--model " + file;
    for (PresetTap &tap : preset.inspection.taps)
      tap.title = file + ": " + tap.title;
    return preset;
  } catch (const std::invalid_argument &error) {
    throw BadInput(file + ": " + error.what());
  }
}

Preset readModel(const std::string &file) {
  const std::optional<std::string> content = readText(file);
  if (!content)
    throw BadInput(file + ": cannot be read; popscope presets --show cnn "
                          "prints a model file to begin with");
  return readModel(file, *content);
}

} // namespace popscope::host
