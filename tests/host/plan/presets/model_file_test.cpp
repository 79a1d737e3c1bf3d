#include "host/command.hpp"
#include "host/plan/presets/model_file.hpp"
#include "host/plan/presets/preset_json.hpp"
#include "host/plan/training_plan.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::string kLast =
    R"({"name": "last", "kind": "dense", "units": 10, "activation": "softmax"})";

// A model of these layers and the last, with more keys.
std::string model(const std::string &layers, const std::string &more = "",
                  const std::string &input = "[28, 28, 1]") {
  return R"({"data": "mnist", "input": )" + input + R"(, "layers": [)" +
         layers + (layers.empty() ? "" : ", ") + kLast + "]" +
         (more.empty() ? "" : ", ") + more + "}";
}

std::string rows(const std::string &more = "") {
  return model("", more, "[784]");
}

std::string errorOf(const std::string &json) {
  try {
    parseModel(json);
  } catch (const std::invalid_argument &error) {
    return error.what();
  }
  return "no error";
}

TEST(ModelFile, APresetThatIsWrittenAndReadIsTheSame) {
  for (const std::string &name : presetNames()) {
    const std::string json = presetJson(presetNamed(name));
    const Preset read = parseModel(json);
    EXPECT_EQ(presetJson(read), json);
    EXPECT_EQ(read.model.name, presetNamed(name).model.name);
    EXPECT_TRUE(read.isOfFile());
    EXPECT_FALSE(presetNamed(name).isOfFile());
    // What popscope.json keeps of it.
    EXPECT_EQ(presetJson(parseModel(read.source)), json);
    EXPECT_EQ(read.source.find('\n'), std::string::npos);
  }
}

TEST(ModelFile, WhatIsLeftOutHasDefaults) {
  const Preset preset =
      parseModel(model(R"({"name": "c", "kind": "conv", "filters": 4},
                          {"name": "p", "kind": "max_pool"},
                          {"name": "f", "kind": "flatten"})"));
  EXPECT_EQ(preset.name, "model");
  EXPECT_EQ(optimizerName(preset.optimizer), "sgd");
  EXPECT_EQ(preset.schedule.text(), "0.01");
  EXPECT_EQ(preset.batchSize, 32u);
  EXPECT_EQ(preset.epochs, 1u);
  EXPECT_FALSE(preset.pipelined);
  EXPECT_EQ(preset.validation, ValidationSet::none);
  EXPECT_EQ(preset.classNames.size(), 10u);
  EXPECT_EQ(std::get<graph::Conv>(preset.model.layers[0].kind).kernel, 3u);
  EXPECT_EQ(std::get<graph::MaxPool>(preset.model.layers[1].kind).window, 2u);
}

TEST(ModelFile, ALayerIsInTheStageOfTheOneBeforeAndStagesMakeAPipeline) {
  const Preset preset = parseModel(model(
      R"({"name": "a", "kind": "dense", "units": 4},
         {"name": "b", "kind": "dense", "units": 4, "stage": 1})",
      "", "[784]"));
  EXPECT_EQ(preset.model.layers[2].stage, 1u);
  EXPECT_TRUE(preset.pipelined);
}

TEST(ModelFile, ALearningRateIsANumberOrASchedule) {
  EXPECT_EQ(parseModel(rows(R"("settings": {"learning-rate": 1e-5})"))
                .schedule.text(),
            "1e-05");
  EXPECT_EQ(parseModel(rows(R"("settings": {"learning-rate": "0.1,0.01@6"})"))
                .schedule.text(),
            "0.1,0.01@6");
}

TEST(ModelFile, ErrorsNameLayerKeyAndWhatWouldWork) {
  const auto layer = [](const std::string &keys) {
    return errorOf(model(R"({"name": "one", )" + keys + "}"));
  };
  EXPECT_EQ(layer(R"("kind": "conv", "filter": 3)"),
            "layer one (conv): no key \"filter\"; did you mean \"filters\"? "
            "There are name, kind, filters, kernel, activation, stage");
  EXPECT_EQ(layer(R"("kind": "cnov", "filters": 3)"),
            "layer one: \"kind\": no \"cnov\"; did you mean \"conv\"? There "
            "are conv, max_pool, global_max_pool, flatten, dropout, dense");
  EXPECT_EQ(layer(R"("kind": "conv")"),
            "layer one (conv): the key \"filters\" is missing");
  EXPECT_EQ(layer(R"("kind": "conv", "filters": "8")"),
            "layer one (conv): \"filters\": has to be a whole number from 1 "
            "to 1048576");
  EXPECT_EQ(layer(R"("kind": "conv", "filters": 8, "kernel": 40)"),
            "layer one: a kernel of 40 does not fit into (28, 28, 1)");
  EXPECT_EQ(layer(R"("kind": "dropout", "rate": 1)"),
            "layer one (dropout): \"rate\": has to be a number of at least 0 "
            "and less than 1");
  EXPECT_EQ(layer(R"("kind": "conv", "filters": 8)"),
            "layer last: a dense layer needs one row of features, not (26, "
            "26, 8); put a Flatten before it");
  EXPECT_EQ(layer(R"("kind": "flatten", "stage": 1)"),
            "layer one: stage 1 of the first layer is not 0");
  EXPECT_EQ(errorOf(model(R"({"name": "a/b", "kind": "flatten"})")),
            "layer 0 (flatten): \"name\": has to be 1 to 64 letters, digits, "
            "'_', '.' or '-', and to begin with a letter, a digit or '_'");
  EXPECT_EQ(errorOf(model(R"({"name": "last", "kind": "flatten"})")),
            "layer last: another layer has this name");
}

TEST(ModelFile, ErrorsOfOtherKeysNameTheirPlace) {
  const std::pair<const char *, const char *> errors[] = {
      {R"("epochs": 3)", "no key \"epochs\"; there are name"},
      {R"("settings": {"epoch": 3})",
       "\"settings\": no key \"epoch\"; did you mean \"epochs\"?"},
      {R"("settings": {"epochs": 0})",
       "\"settings\": \"epochs\": has to be a whole number from 1"},
      {R"("settings": {"epochs": 1e400})", "\"epochs\": has to be"},
      {R"("settings": {"learning-rate": "0.1,0.2"})",
       "\"learning-rate\": 0.2 has no epoch"},
      {R"("settings": {"learning-rate": -1})", "has to be a positive number"},
      {R"("settings": {"learning-rate": {}})", "has to be a positive number"},
      {R"("settings": {"validate-every": 2})", "there is no validation set"},
      {R"("validation": "split", "settings": {"validate-every": 0})",
       "0 is never; write \"validation\": \"none\""},
      {R"("settings": [])", "\"settings\": has to be an object"},
      {R"("optimizer": {"kind": "sgd", "rho": 0.9})",
       "\"optimizer\" (sgd): no key \"rho\""},
      {R"("optimizer": {"kind": "adam", "beta1": 2})",
       "\"optimizer\" (adam): \"beta1\": has to be a number"},
      {R"("optimizer": "adam")", "\"optimizer\": has to be an object"},
      {R"("loss": "mse")", "\"loss\": no \"mse\""},
      {R"("pipelined": true)", "a pipeline needs two stages"},
      {R"("classes": ["a"])", "has 1 names, and the last layer, last, has 10"},
      {R"("classes": ["a\nb"])", "characters in one line"},
      {R"("metrics": {"top-k": 11})", "whole number from 0 to 10"},
      {R"("name": "../x")", "\"name\": has to be 1 to 64 letters"},
      {R"("taps": ["loss @@"])", "taps[0] 'loss @@': expected a schedule"},
      {R"("taps": "loss")", "\"taps\": has to be a list"},
      {R"("data": "mnist")", "\"data\": is there twice"}};
  for (const auto &[keys, error] : errors) {
    EXPECT_THAT(errorOf(rows(keys)), HasSubstr(error));
    EXPECT_EQ(errorOf(rows(keys)).find('\n'), std::string::npos) << keys;
  }
  EXPECT_THAT(errorOf(R"({"data": "mnits", "input": [4], "layers": []})"),
              HasSubstr("no set \"mnits\" comes with PopScope; did you mean "
                        "\"mnist\"?"));
  EXPECT_THAT(errorOf(model("", "", "[28, 28]")),
              HasSubstr("\"input\": has to be [height, width, channels]"));
}

TEST(ModelFile, HostileFilesAreRefused) {
  EXPECT_THAT(errorOf(std::string(100000, '[')), HasSubstr("less nesting"));
  EXPECT_THAT(errorOf(std::string((1 << 20) + 1, ' ')),
              HasSubstr("more than 1048576 bytes"));
  EXPECT_THAT(errorOf(""),
              HasSubstr("not JSON: a value is expected in line 1, column 1"));
  EXPECT_THAT(errorOf("null"), HasSubstr("has to be an object"));
  // Sizes whose products do not fit into 64 bits, nor into any memory.
  const std::string huge = "1048576";
  EXPECT_THAT(errorOf(model(R"({"name": "f", "kind": "flatten"},
                               {"name": "d", "kind": "dense", "units": )" +
                                huge + "}",
                            "", "[" + huge + "," + huge + "," + huge + "]")),
              HasSubstr("more than the 268,435,456 that fit on a device"));
  std::string layers;
  for (unsigned i = 0; i < 1000; ++i)
    layers += (i ? "," : "") + std::string(R"({"name": "l)") +
              std::to_string(i) + R"(", "kind": "dropout"})";
  EXPECT_THAT(errorOf(model(layers, "", "[784]")),
              HasSubstr("\"layers\": has to be a list of 1 to 1000 layers"));
}

TEST(ModelFile, ErrorsOfAFileNameIt) {
  const tests::TempDir directory;
  const std::string file = (directory.path() / "my.json").string();
  const auto error = [](const std::string &name) {
    TrainOptions options;
    options.model = name;
    try {
      choosePreset(options);
    } catch (const BadInput &refused) {
      return std::string(refused.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(error(file), HasSubstr(file + ": cannot be read; "));
  EXPECT_THAT(error(directory.path().string()), HasSubstr(": cannot be read"));
  directory.file("my.json", "{}");
  EXPECT_EQ(error(file), file + ": the key \"data\" is missing");
  directory.file("my.json", rows());
  EXPECT_EQ(error(file), "no error");
}

TEST(ModelFile, ItsContentIsUsedIfItIsKnown) {
  TrainOptions options;
  options.model = "gone.json";
  options.modelContent = rows(R"("name": "kept", "taps": ["loss"])");
  const Preset preset = choosePreset(options);
  EXPECT_EQ(preset.name, "kept");
  EXPECT_EQ(preset.title, "--model gone.json");
  EXPECT_EQ(preset.inspection.taps[0].title, "gone.json: taps[0]");
}

TEST(ModelFile, OptionsOfAPresetDoNotGoWithIt) {
  TrainOptions options;
  options.model = "m.json";
  options.modelContent = rows();
  options.tutorial.given = {"--no-pipelining"};
  EXPECT_THROW(choosePreset(options), BadInput);
  options.tutorial.given.clear();
  options.preset = "cnn";
  EXPECT_THROW(choosePreset(options), BadInput);
}

TEST(ModelFile, ADataSetIsAWordOrAPath) {
  EXPECT_EQ(dataDirectory(parseModel(R"({"data": "./sets/mine",
                                         "input": [784], "layers": [)" +
                                     kLast + "]}"),
                          {}),
            "./sets/mine");
}

TEST(ModelFile, ThePlanDescribesAllOfIt) {
  const auto describe = [](const std::string &json) {
    TrainingPlan plan;
    plan.preset = parseModel(json);
    return plan.describe();
  };
  const std::string before = describe(rows());
  for (const char *other :
       {R"("optimizer": {"kind": "sgd", "momentum": 0.5})",
        R"("metrics": {"auc": true})", R"("validation": "split")"})
    EXPECT_NE(describe(rows(other)), before) << other;
  EXPECT_EQ(describe(rows(R"("description": "another")")), before);
}

} // namespace
} // namespace popscope::host
