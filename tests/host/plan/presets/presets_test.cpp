#include "host/command.hpp"
#include "host/plan/presets/presets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

using graph::TensorKind;
using ::testing::ElementsAre;

std::string errorOf(const std::string &name, const TutorialOptions &tutorial) {
  try {
    presetNamed(name, tutorial);
  } catch (const BadInput &error) {
    return error.what();
  }
  return "no error";
}

TEST(Presets, UnknownNameListsTheKnown) {
  EXPECT_EQ(errorOf("resnet", {}), "--preset resnet: there are mlp, cnn, "
                                   "gmp-cnn, fashion, digits");
}

TEST(Presets, EachKnowsItsNameAndSaysWhatItIs) {
  for (const std::string &name : presetNames()) {
    EXPECT_EQ(presetNamed(name).name, name);
    EXPECT_FALSE(presetNamed(name).description.empty()) << name;
  }
}

TEST(Presets, OnlyTheTutorialTapsWithoutBeingAsked) {
  for (const std::string &name : presetNames()) {
    const PresetInspection inspection = presetNamed(name).inspection;
    EXPECT_EQ(inspection.taps.empty(), name != "mlp") << name;
    EXPECT_EQ(inspection.tablesPrinted == TablesPrinted::afterEveryEpoch,
              name == "mlp")
        << name;
  }
}

TEST(Presets, MlpHasTheRulesAndTablesOfTheTutorial) {
  const PresetInspection inspection = presetNamed("mlp").inspection;
  ASSERT_EQ(inspection.taps.size(), 2u);
  EXPECT_EQ(inspection.taps[0].title, "--gradients-filters Dense_128");
  EXPECT_EQ(inspection.taps[0].rule,
            "kind:gradient & at:accumulated & (\"Dense_128\")");
  EXPECT_EQ(inspection.taps[1].rule,
            "(name:Dense_128_acts | name:Dense_10_acts)");
  ASSERT_EQ(inspection.tables.size(), 2u);
  EXPECT_EQ(inspection.tables[0].title, "Gradients callback");
  EXPECT_THAT(inspection.tables[0].kinds, ElementsAre(TensorKind::gradient));
  EXPECT_EQ(inspection.tables[1].title, "Multi-layer activations callback");
  EXPECT_THAT(inspection.tables[1].kinds, ElementsAre(TensorKind::activation));
}

TEST(Presets, OptionsOfTheTutorialChangeItsRules) {
  TutorialOptions options;
  options.outfeedPreAccumulatedGradients = true;
  options.gradientsFilters = {"Dense_10", "bias"};
  options.activationsFilters = {"Dense_10"};
  const PresetInspection inspection = presetNamed("mlp", options).inspection;
  EXPECT_EQ(inspection.taps[0].rule,
            "kind:gradient & at:microBatch & (\"Dense_10\" | \"bias\")");
  EXPECT_EQ(inspection.taps[1].rule, "(name:Dense_128_acts | "
                                     "name:Dense_10_acts) & (\"Dense_10\")");
}

TEST(Presets, FunctionalModelWithoutPipelineHasASingleOutfeed) {
  TutorialOptions options;
  options.modelType = ModelType::functional;
  options.noPipelining = true;
  const PresetInspection inspection = presetNamed("mlp", options).inspection;
  EXPECT_EQ(inspection.taps[1].rule, "name:Dense_128_acts");
  EXPECT_EQ(inspection.tables[1].title, "Single layer activations callback");
}

TEST(Presets, OnlyASingleNoneStandsForNoFilter) {
  const auto ruleOf = [](const std::vector<std::string> &filters) {
    TutorialOptions options;
    options.gradientsFilters = filters;
    return presetNamed("mlp", options).inspection.taps[0].rule;
  };
  EXPECT_EQ(ruleOf({"None"}), "kind:gradient & at:accumulated");
  EXPECT_EQ(ruleOf({"none", "bias"}),
            "kind:gradient & at:accumulated & (\"none\" | \"bias\")");
}

TEST(Presets, OptionsOfTheTutorialAreRefusedByOthers) {
  TutorialOptions options;
  options.given = {"--no-pipelining"};
  EXPECT_EQ(errorOf("cnn", options),
            "--no-pipelining is an option of --preset mlp");
}

} // namespace
} // namespace popscope::host
