#include "host/record/format_table.hpp"
#include "host/record/recorded_magnitudes.hpp"
#include "outfeed/sinks/event_sink.hpp"
#include "outfeed/sinks/health_count.hpp"
#include "tests/support/temp_dir.hpp"
#include "text/json_value.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using outfeed::Update;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

outfeed::Tap tapOf(const std::string &name, graph::TensorKind kind) {
  outfeed::Tap tap;
  tap.tensor.name = name;
  tap.tensor.kind = kind;
  return tap;
}

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
const outfeed::NumberFormat &kHalf = outfeed::kNumberFormats[0];

class Recorded : public testing::Test {
protected:
  // An own event file, as each start of a program has one.
  void write(Update first, const std::vector<std::vector<float>> &updates) {
    outfeed::EventSink sink(directory_.path().string());
    if (first != Update(0))
      sink.resume(first);
    for (std::size_t i = 0; i < updates.size(); ++i)
      sink.take(tap_, Update(first.value() + unsigned(i)),
                outfeed::sampleOfFloats(updates[i]));
    sink.flush();
    sink.close({});
  }
  std::vector<TensorMagnitudes> read() {
    return recordedMagnitudes(directory_.path());
  }

  tests::TempDir directory_;
  const outfeed::Tap tap_ = tapOf("conv_0/kernel:0", graph::TensorKind::weight);
};

TEST_F(Recorded, HistogramsAreReadBackOverAllUpdates) {
  write(Update(0), {{1, 0, -3}, {0.5f, 2, 0}, {-100, 1e-9f, 7}});
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(read()[0].tensor, "conv_0/kernel:0");
  const outfeed::Magnitudes magnitudes = read()[0].magnitudes;
  EXPECT_EQ(magnitudes.count(), 9u);
  EXPECT_EQ(magnitudes.zeros(), 2u);
  EXPECT_EQ(magnitudes.largest(), 100.0);
}

TEST_F(Recorded, HistogramsThatARestartReplacedDoNotCount) {
  write(Update(0), {{1, 2}, {1, 2}, {1e30f, 2}});
  write(Update(2), {{1, 2}, {1, 4}});
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(read()[0].magnitudes.count(), 8u);
  EXPECT_EQ(read()[0].magnitudes.largest(), 4.0);
}

TEST_F(Recorded, ElementsThatARestartReplacedAreNotCountedAsInfinite) {
  write(Update(0), {{1, kInf}, {1, 2}, {kInf, kNan}, {-kInf, 1}});
  write(Update(2), {{1, 2}, {1, kNan}});
  ASSERT_EQ(read().size(), 1u);
  EXPECT_EQ(read()[0].infinite, 1u);
  EXPECT_EQ(read()[0].nan, 1u);
  EXPECT_EQ(read()[0].count(), 8u);
}

TEST_F(Recorded, HistogramsGiveTheNumbersThatTheRunItselfCounted) {
  const std::vector<std::vector<float>> updates = {{1, 0, -3e-5f, 1e-12f},
                                                   {7e4f, 0.001f, -2, 65504},
                                                   {kInf, 1, kNan, -kInf},
                                                   {kNan, kNan}};
  write(Update(0), updates);
  outfeed::HealthCount counts;
  for (std::size_t i = 0; i < updates.size(); ++i)
    counts.take(tap_, Update(unsigned(i)), outfeed::sampleOfFloats(updates[i]));
  const outfeed::HealthCount::Row row = counts.rows().at(0);
  const TensorMagnitudes counted{"conv_0/kernel:0", row.magnitudes,
                                 row.infinite, row.nan};
  EXPECT_EQ(counted.infinite, 2u);
  EXPECT_EQ(counted.nan, 3u);
  EXPECT_EQ(formatJson(read(), kHalf, 0), formatJson({counted}, kHalf, 0));
}

TEST_F(Recorded, HistogramsMayBeMissing) { EXPECT_THAT(read(), IsEmpty()); }

TensorMagnitudes magnitudesOf(const std::string &name,
                              const std::vector<float> &values) {
  TensorMagnitudes tensor{name, {}};
  const outfeed::TensorSample sample = outfeed::sampleOfFloats(values);
  tensor.magnitudes.add(histogramOf(sample));
  tensor.infinite = sample.stats.posInf + sample.stats.negInf;
  tensor.nan = sample.stats.nan;
  return tensor;
}

TEST(FormatTable, HasSharesOfTheElementsAndTheBestScale) {
  EXPECT_THAT(formatCells(magnitudesOf("w", {0, 0.01f, 1, 60000}), kHalf, 0),
              ElementsAre("w", "6e4", "0.1", "0", "0", "25%", "<=25%", "<=25%",
                          "2^0", "<=25%"));
  EXPECT_THAT(
      formatCells(magnitudesOf("w", {1, 2, 4, 8}), kHalf, 14),
      ElementsAre("w", "8", "-1.0", "0", "50%", "25%", "0", "0", "2^0", "0"));
  EXPECT_THAT(formatCells(magnitudesOf("w", {0, 0}), kHalf, 0),
              ElementsAre("w", "0", "-", "0", "0", "0", "0", "0", "-", "0"));
}

TEST(FormatTable, OverflowsAreSaturatedAndNoScaleHelpsThem) {
  const TensorMagnitudes tensor = magnitudesOf("w", {1, kInf, -kInf, kNan});
  EXPECT_THAT(
      formatCells(tensor, kHalf, 0),
      ElementsAre("w", "inf", "none", "25%", "50%", "0", "0", "0", "-", "-"));
  const text::JsonValue json =
      text::parseJson(formatJson({tensor}, kHalf, 0))["tensors"].items().at(0);
  EXPECT_EQ(json["infinite"].numberOr(-1), 2);
  EXPECT_EQ(json["nan"].numberOr(-1), 1);
  EXPECT_EQ(json["saturated"].items().at(0).numberOr(-1), 2);
  EXPECT_TRUE(json["best_scale"].isNull());
}

TEST(FormatTable, AsJsonHasBoundsOfEveryCount) {
  const text::JsonValue json = text::parseJson(
      formatJson({magnitudesOf("w", {0, 1e-6f, 1e-6f, 2048})}, kHalf, 3));
  EXPECT_EQ(json["format"].stringOr(""), "half");
  EXPECT_EQ(json["scale"].numberOr(0), 3);
  const text::JsonValue &tensor = json["tensors"].items().at(0);
  // Below the buckets of the largest element it is not known how far.
  EXPECT_EQ(tensor["flushed"].items().at(0).numberOr(-1), 0);
  EXPECT_EQ(tensor["flushed"].items().at(1).numberOr(-1), 2);
  EXPECT_EQ(tensor["subnormal"].items().at(1).numberOr(-1), 2);
  EXPECT_TRUE(json["loss_scale_change"].isNull());
}

TEST(FormatTable, AdvisesOnTheLossScaleFromTheGradientsThatCarryIt) {
  const std::vector<float> small = {1e-6f, 3e-6f, 1e-4f};
  EXPECT_EQ(
      lossScaleAdvice({magnitudesOf("dense/kernel:0_grad", small)}, kHalf), "");
  EXPECT_THAT(lossScaleAdvice({magnitudesOf("conv_0_acts_grad", small)}, kHalf),
              HasSubstr("multiply it by 2^6: fewer gradients are lost"));
  EXPECT_THAT(
      lossScaleAdvice(
          {magnitudesOf("dense/kernel:0_grad_per_micro_batch", {1, 2})}, kHalf),
      HasSubstr("as it is, the gradients fit into half"));
}

TEST(FormatTable, InfiniteGradientsLowerTheLossScale) {
  const TensorMagnitudes gradient =
      magnitudesOf("conv_0_acts_grad", {1e-6f, kInf});
  EXPECT_EQ(lossScaleAdvice({gradient}, kHalf),
            "loss scale: multiply it by 2^-2 or less: 1 element of gradients "
            "was infinite");
  EXPECT_EQ(
      text::parseJson(formatJson({gradient}, kHalf, 0))["loss_scale_change"]
          .numberOr(0),
      -2);
  EXPECT_THAT(
      lossScaleAdvice({magnitudesOf("conv_0_preacts", {kInf, 1}), gradient},
                      kHalf),
      HasSubstr(", which may come from conv_0_preacts: it was not finite"));
  EXPECT_THAT(lossScaleAdvice({magnitudesOf("conv_0_acts", {kInf, 1}),
                               magnitudesOf("conv_0_acts_grad", {1, 2})},
                              kHalf),
              HasSubstr("as it is, the gradients fit into half"));
}

} // namespace
} // namespace popscope::host
