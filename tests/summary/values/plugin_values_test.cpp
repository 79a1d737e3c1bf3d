// Hyperparameters, PR curves and chart layouts.
#include "summary/proto/event.pb.h"
#include "summary/proto/hparams.pb.h"
#include "summary/proto/plugin_data.pb.h"
#include "summary/values/hparams.hpp"
#include "summary/values/pr_curve.hpp"
#include "summary/values/scalar_layout.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::summary {
namespace {

using testing::ElementsAre;

proto::HParamsPluginData dataOf(const Value &value) {
  EXPECT_EQ(value.metadata.plugin, "hparams");
  proto::HParamsPluginData data;
  EXPECT_TRUE(data.ParseFromString(value.metadata.content));
  return data;
}

TEST(HParams, KeepTheirTypes) {
  const auto info =
      dataOf(toValue(SessionStart{
                 {{"lr", 0.01}, {"nesterov", true}, {"optimizer", "sgd"}},
                 "group",
                 WallTime(5)}))
          .session_start_info();
  EXPECT_EQ(info.hparams().at("lr").number_value(), 0.01);
  EXPECT_TRUE(info.hparams().at("nesterov").bool_value());
  EXPECT_EQ(info.hparams().at("optimizer").string_value(), "sgd");
  EXPECT_EQ(info.group_name(), "group");
  EXPECT_EQ(info.start_time_secs(), 5);
}

TEST(HParams, NumbersMayHaveAnyType) {
  const auto info = dataOf(toValue(SessionStart{{{"layers", 3},
                                                 {"seed", std::uint64_t(7)},
                                                 {"rate", 0.5F},
                                                 {"name", std::string("mlp")}},
                                                "",
                                                WallTime(5)}))
                        .session_start_info();
  EXPECT_EQ(info.hparams().at("layers").number_value(), 3);
  EXPECT_EQ(info.hparams().at("seed").number_value(), 7);
  EXPECT_EQ(info.hparams().at("rate").number_value(), 0.5);
  EXPECT_EQ(info.hparams().at("name").string_value(), "mlp");
}

TEST(HParams, NonFiniteNumbersAreText) {
  const double inf = std::numeric_limits<double>::infinity();
  const auto info =
      dataOf(
          toValue(SessionStart{{{"a", std::numeric_limits<double>::quiet_NaN()},
                                {"b", inf},
                                {"c", -inf}},
                               "",
                               WallTime(5)}))
          .session_start_info();
  EXPECT_EQ(info.hparams().at("a").string_value(), "nan");
  EXPECT_EQ(info.hparams().at("b").string_value(), "inf");
  EXPECT_EQ(info.hparams().at("c").string_value(), "-inf");
}

TEST(HParams, SessionEndHasItsStatus) {
  const auto info =
      dataOf(toValue(SessionEnd{SessionStatus::failure, WallTime(9)}))
          .session_end_info();
  EXPECT_EQ(info.status(), proto::STATUS_FAILURE);
  EXPECT_EQ(info.end_time_secs(), 9);
}

TEST(HParams, ExperimentListsDomainsAndMetrics) {
  const auto experiment =
      dataOf(toValue(Experiment{{{"lr", "Learning rate", "", {0.1, 0.2}},
                                 {"seed", "", "", {}}},
                                {{Tag("loss"), "validation", "Loss"}}}))
          .experiment();
  ASSERT_EQ(experiment.hparam_infos_size(), 2);
  EXPECT_EQ(experiment.hparam_infos(0).type(), proto::DATA_TYPE_FLOAT64);
  EXPECT_EQ(experiment.hparam_infos(0).domain_discrete().values_size(), 2);
  EXPECT_EQ(experiment.hparam_infos(1).type(), proto::DATA_TYPE_UNSET);
  EXPECT_EQ(experiment.metric_infos(0).name().tag(), "loss");
  EXPECT_EQ(experiment.metric_infos(0).name().group(), "validation");
}

TEST(PrCurve, CountsPredictionsAtOrAboveEachThreshold) {
  const std::vector<std::uint8_t> labels{1, 0, 1, 0, 1};
  const std::vector<float> predictions{0.9F, 0.5F, 0.5F, 0.1F,
                                       std::numeric_limits<float>::quiet_NaN()};
  const PrCurve curve = prCurve(labels, predictions, 3);
  EXPECT_THAT(curve.truePositives, ElementsAre(2, 2, 0));
  EXPECT_THAT(curve.falsePositives, ElementsAre(2, 1, 0));
  EXPECT_THAT(curve.trueNegatives, ElementsAre(0, 1, 2));
  EXPECT_THAT(curve.falseNegatives, ElementsAre(0, 0, 2));
  EXPECT_EQ(curve.ignored, 1u);
}

TEST(PrCurve, PredictionsOutsideAreClipped) {
  const std::vector<std::uint8_t> labels{1, 1};
  const PrCurve curve = prCurve(labels, std::vector<float>{-3, 7}, 2);
  EXPECT_THAT(curve.truePositives, ElementsAre(2, 1));
}

TEST(PrCurve, ValueHasSixRowsAndNoDivisionByZero) {
  const std::vector<std::uint8_t> labels{1, 0};
  const std::vector<float> predictions{0.5F, 0.25F};
  const Value value = toValue(prCurve(labels, predictions, 5));
  proto::PrCurvePluginData plugin;
  ASSERT_TRUE(plugin.ParseFromString(value.metadata.content));
  EXPECT_EQ(plugin.num_thresholds(), 5u);
  proto::Summary::Value message;
  ASSERT_TRUE(message.ParseFromString(value.body));
  std::vector<float> rows(30);
  ASSERT_EQ(message.tensor().tensor_content().size(), 30 * sizeof(float));
  std::memcpy(rows.data(), message.tensor().tensor_content().data(),
              30 * sizeof(float));
  const std::vector<float> precision(rows.begin() + 20, rows.begin() + 25);
  const std::vector<float> recall(rows.begin() + 25, rows.end());
  EXPECT_THAT(precision, ElementsAre(0.5F, 0.5F, 1, 0, 0));
  EXPECT_THAT(recall, ElementsAre(1, 1, 1, 0, 0));
}

TEST(PrCurve, RefusesWhatDoesNotFit) {
  const std::vector<std::uint8_t> labels{1};
  EXPECT_THROW(prCurve(labels, std::vector<float>(2)), std::invalid_argument);
  EXPECT_THROW(prCurve(labels, std::vector<float>(1), 1),
               std::invalid_argument);
  EXPECT_THROW(toValue(PrCurve{{1}, {1, 2}, {1}, {1}, 0}),
               std::invalid_argument);
}

TEST(ScalarLayout, HoldsLinesAndBands) {
  const ScalarLayout layout{
      {{"losses",
        {LinesChart{"both", {"loss", "val_.*"}},
         BandChart{"band", {{Tag("m"), Tag("l"), Tag("u")}}}}}}};
  const Value value = toValue(layout);
  EXPECT_EQ(value.metadata.plugin, "custom_scalars");
  proto::Summary::Value message;
  ASSERT_TRUE(message.ParseFromString(value.body));
  proto::Layout parsed;
  ASSERT_TRUE(parsed.ParseFromString(message.tensor().string_val(0)));
  ASSERT_EQ(parsed.category_size(), 1);
  EXPECT_EQ(parsed.category(0).title(), "losses");
  EXPECT_THAT(parsed.category(0).chart(0).multiline().tag(),
              ElementsAre("loss", "val_.*"));
  EXPECT_EQ(parsed.category(0).chart(1).margin().series(0).upper(), "u");
}

// A reader of protobuf that meets other bytes in a string gives up the message.
TEST(PluginValues, TextThatIsNotUtf8IsReplaced) {
  const std::string latin = "caf\xe9", shown = "caf\xef\xbf\xbd";
  const auto described = toValue(1.0F).described(latin, latin).metadata;
  proto::SummaryMetadata metadata;
  ASSERT_TRUE(metadata.ParseFromString(described.serialized()));
  EXPECT_EQ(metadata.display_name(), shown);
  EXPECT_EQ(metadata.summary_description(), shown);

  const auto info =
      dataOf(toValue(SessionStart{{{latin, latin}}, latin, WallTime(5)}))
          .session_start_info();
  EXPECT_EQ(info.hparams().at(shown).string_value(), shown);
  EXPECT_EQ(info.group_name(), shown);

  proto::Summary::Value message;
  ASSERT_TRUE(message.ParseFromString(
      toValue(ScalarLayout{{{latin, {LinesChart{latin, {latin}}}}}}).body));
  proto::Layout layout;
  ASSERT_TRUE(layout.ParseFromString(message.tensor().string_val(0)));
  EXPECT_EQ(layout.category(0).title(), shown);
  EXPECT_EQ(layout.category(0).chart(0).title(), shown);
  EXPECT_THAT(layout.category(0).chart(0).multiline().tag(),
              ElementsAre(shown));
}

} // namespace
} // namespace popscope::summary
