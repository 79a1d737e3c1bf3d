#include "host/record/chart_layout.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>

namespace popscope::host {
namespace {

using graph::TensorKind;
using ::testing::ElementsAre;

outfeed::Tap tapOf(const std::string &name, TensorKind kind,
                   outfeed::Payload payload = outfeed::Payload::stats) {
  outfeed::Tap tap;
  tap.tensor.name = name;
  tap.tensor.kind = kind;
  tap.tensor.moment = kind == TensorKind::gradient
                          ? graph::TapMoment::accumulated
                          : graph::TapMoment::applied;
  tap.payload = payload;
  return tap;
}

std::vector<std::string> titles(const summary::ScalarLayout &layout) {
  std::vector<std::string> titles;
  for (const auto &category : layout.categories)
    titles.push_back(category.title);
  return titles;
}

// As TensorBoard chooses: from the beginning of the tag.
bool isShown(const summary::ScalarLayout &layout, const std::string &tag) {
  for (const auto &category : layout.categories)
    for (const auto &chart : category.charts)
      for (const std::string &pattern :
           std::get<summary::LinesChart>(chart).tagPatterns)
        if (std::regex_search(tag, std::regex("^(?:" + pattern + ")")))
          return true;
  return false;
}

TEST(ChartLayout, LossAndAccuracyComeFirstAndAloneWithoutTaps) {
  const auto layout = chartLayout({});
  EXPECT_THAT(titles(layout), ElementsAre("loss and accuracy"));
  for (const char *tag : {"epoch_loss", "epoch_accuracy", "evaluation_loss",
                          "evaluation_accuracy", "Loss", "Accuracy"})
    EXPECT_TRUE(isShown(layout, tag)) << tag;
  EXPECT_FALSE(isShown(layout, "evaluation_loss_vs_iterations"))
      << "its steps are not epochs";
}

TEST(ChartLayout, WhatIsTappedHasAChartOfAllLayers) {
  const std::deque<outfeed::Tap> taps{
      tapOf("dense/kernel:0_grad", TensorKind::gradient),
      tapOf("dense_acts", TensorKind::activation),
      tapOf("dense/kernel:0", TensorKind::weight),
      tapOf("dense/kernel:0_update", TensorKind::update)};
  const auto layout = chartLayout(taps);
  EXPECT_THAT(titles(layout),
              ElementsAre("loss and accuracy", "norms of gradients",
                          "zeros in activations",
                          "updates relative to weights"));
  const tests::TempDir dir;
  const std::vector<float> values{1.0f, 2.0f};
  outfeed::EventSink sink(dir.path().string());
  for (const outfeed::Tap &tap : taps)
    sink.take(tap, outfeed::Update(0), outfeed::sampleOfFloats(values));
  sink.close({});
  std::vector<std::string> shown;
  for (const auto &event : tests::readRun(dir.path()))
    for (const auto &value : event.summary().value())
      if (isShown(layout, value.tag()))
        shown.push_back(value.tag());
  EXPECT_THAT(shown, ElementsAre("tapped_gradients/dense/kernel:0_grad/l2_norm",
                                 "tapped_activations/dense_acts/zero_share",
                                 "tapped_updates/dense/kernel:0_update/"
                                 "ratio_to_weight"));
}

TEST(ChartLayout, AlarmsHaveNoStatisticsToChart) {
  EXPECT_THAT(titles(chartLayout({tapOf("dense_acts", TensorKind::activation,
                                        outfeed::Payload::alarm)})),
              ElementsAre("loss and accuracy"));
}

TEST(ChartLayout, UpdatesWithoutTheirWeightsHaveNoRatio) {
  EXPECT_THAT(
      titles(chartLayout({tapOf("a/kernel:0_update", TensorKind::update),
                          tapOf("b/kernel:0", TensorKind::weight)})),
      ElementsAre("loss and accuracy"));
}

} // namespace
} // namespace popscope::host
