#include "host/report/history_reader.hpp"
#include "host/report/tensor_history.hpp"
#include "outfeed/sinks/statistic.hpp"
#include "tests/host/report/written_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>

namespace popscope::host {
namespace {

using graph::TensorKind;
using testing::ElementsAre;
using testing::FloatEq;
using testing::Optional;
using tests::tapOf;
using tests::WrittenRun;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(UpdateColumns, AreAsFarApartAsTheUpdates) {
  UpdateColumns columns;
  EXPECT_EQ(columns.count(), 0u);
  for (const unsigned update : {40u, 20u, 30u, 100u})
    columns.add(update);
  EXPECT_EQ(columns.first(), 20u);
  EXPECT_EQ(columns.updatesPerColumn(), 10u);
  EXPECT_EQ(columns.count(), 9u);
  EXPECT_EQ(columns.columnOf(100), 8u);
  EXPECT_EQ(columns.columnOf(19), std::nullopt);
  EXPECT_EQ(columns.columnOf(101), std::nullopt);
}

TEST(UpdateColumns, AreNeverTooMany) {
  for (const unsigned last : {1u, 159u, 160u, 161u, 12345u, 4294967295u}) {
    UpdateColumns columns;
    columns.add(0);
    columns.add(1);
    columns.add(last);
    EXPECT_LE(columns.count(), UpdateColumns::kMost) << last;
    EXPECT_EQ(columns.columnOf(last), columns.count() - 1) << last;
  }
}

TEST(ExponentHistogram, CountsElementsByTheirExponent) {
  // Sixteen octaves from the largest down are known apart.
  const ExponentHistogram histogram = *exponentsOf(histogramOf(
      outfeed::sampleOfFloats(std::vector<float>{0, -5, 4, 1, 1.5f, 1e-9f})));
  EXPECT_EQ(histogram.top, 2);
  ASSERT_GE(histogram.counts.size(), 3u);
  EXPECT_EQ(histogram.counts[0], 2u);
  EXPECT_EQ(histogram.counts[1], 0u);
  EXPECT_EQ(histogram.counts[2], 2u);
  EXPECT_EQ(histogram.below, 1u);
  EXPECT_EQ(histogram.zeros, 1u);
  EXPECT_EQ(histogram.counts.size(), 16u);
}

TEST(ExponentHistogram, MayBeOfZerosAlone) {
  const ExponentHistogram histogram = *exponentsOf(
      histogramOf(outfeed::sampleOfFloats(std::vector<float>{0, 0})));
  EXPECT_EQ(histogram.zeros, 2u);
  EXPECT_TRUE(histogram.counts.empty());
}

TEST(ExponentHistogram, IsNotOfEdgesOrCountsThatNoTapMakes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const summary::Histogram::Bucket &bucket :
       {summary::Histogram::Bucket{1, kInfinity, 1},
        {double(kNan), 1, 1},
        {-kInfinity, 1, 1},
        {1, 2, -1},
        {1, 2, double(kNan)},
        {1, 2, 1e300}})
    EXPECT_EQ(exponentsOf({{bucket}, 0, 0, 0}).has_value(), false)
        << bucket.left << ' ' << bucket.right << ' ' << bucket.count;
  EXPECT_TRUE(exponentsOf({{{1e-300, 1e300, 1}}, 0, 0, 0}));
}

struct Read {
  UpdateColumns columns;
  std::vector<TensorHistory> tensors;
};

Read read(const WrittenRun &run, std::vector<outfeed::TensorTraits> traits) {
  Read result;
  HistoryReader reader(run.path(), std::move(traits));
  reader.findUpdates(result.columns);
  result.tensors = reader.read(result.columns);
  return result;
}

const outfeed::Tap kActs = tapOf("conv_0_acts", TensorKind::activation);
const outfeed::Tap kGradient = tapOf(
    "dense/kernel:0_grad", TensorKind::gradient, graph::TapMoment::accumulated);

TEST(TensorHistory, HasTheStatisticsAndHistogramOfEverySample) {
  WrittenRun run({kActs, kGradient});
  run.write(1, 0, {{3, 4}, {6, 8}});
  run.write(0, 0, {{1, 1}, {2, 2}});
  const Read history = read(run, {kActs.tensor, kGradient.tensor});
  ASSERT_EQ(history.tensors.size(), 2u);
  EXPECT_EQ(history.tensors[0].tag, "conv_0_acts"); // as popscope.json has them
  const TensorHistory &gradient = history.tensors[1];
  EXPECT_EQ(gradient.tag, "dense/kernel:0_grad");
  EXPECT_EQ(gradient.samples, 2u);
  ASSERT_EQ(gradient.cells.size(), 2u);
  const RecordedCell &cell = gradient.cells.at(1);
  EXPECT_EQ(cell.sample.update, 1u);
  EXPECT_THAT(cell.sample["l2_norm"], Optional(FloatEq(10)));
  EXPECT_THAT(cell.sample["mean"], Optional(FloatEq(7)));
  EXPECT_THAT(gradient.largest, Optional(FloatEq(8)));
  ASSERT_TRUE(cell.histogram);
  EXPECT_EQ(cell.histogram->top, 3);
  EXPECT_THAT(cell.histogram->counts, ElementsAre(1, 1));
}

TEST(TensorHistory, KnowsAllStatisticsThatEventFilesHave) {
  for (const Statistic statistic : outfeed::kLoggedStatistics)
    // The fingerprint tells tensors apart, and no more.
    EXPECT_EQ(placeOfStatistic(outfeed::nameOf(statistic)).has_value(),
              statistic != Statistic::fingerprint)
        << outfeed::nameOf(statistic);
  EXPECT_TRUE(placeOfStatistic(outfeed::kRatioToWeight));
}

TEST(TensorHistory, TellsWhenATensorWasNotFinite) {
  WrittenRun run({kActs});
  run.write(0, 0, {{1, 1}, {kNan, 2}, {3, 3}});
  const TensorHistory history = read(run, {kActs.tensor}).tensors.at(0);
  EXPECT_EQ(history.firstNotFinite, 1u);
  EXPECT_EQ(history.notFinite, 1u);
  EXPECT_FALSE(history.cells.at(1).sample.isFinite());
  EXPECT_TRUE(history.cells.at(2).sample.isFinite());
}

TEST(TensorHistory, LeavesOutWhatARestartHasReplaced) {
  WrittenRun run({kActs});
  run.write(0, 0, {{1, 1}, {kNan, 2}, {9, 9}});
  run.write(0, 1, {{5, 5}, {6, 6}});
  const TensorHistory history = read(run, {kActs.tensor}).tensors.at(0);
  EXPECT_EQ(history.samples, 3u);
  EXPECT_EQ(history.firstNotFinite, std::nullopt);
  EXPECT_THAT(history.cells.at(2).sample["max"], Optional(FloatEq(6)));
}

TEST(TensorHistory, AColumnShowsItsLargestSampleOrTheOneThatIsNotFinite) {
  WrittenRun run({kActs});
  WrittenRun::Updates updates(2 * UpdateColumns::kMost, {1, 1});
  updates[3] = {7, 7};
  updates[10] = {kNan, 1};
  updates[11] = {9, 9};
  run.write(0, 0, updates);
  const Read history = read(run, {kActs.tensor});
  EXPECT_EQ(history.columns.updatesPerColumn(), 2u);
  EXPECT_EQ(history.tensors.at(0).cells.at(1).sample.update, 3u);
  EXPECT_EQ(history.tensors.at(0).cells.at(1).histogramUpdate, 3u);
  EXPECT_EQ(history.tensors.at(0).cells.at(5).sample.update, 10u);
}

TEST(TensorHistory, HasWhatTheFlightRecorderKept) {
  WrittenRun run({kActs});
  run.write(0, 4, {{1, 1}});
  run.write(0, 2, {{3, 3}, {4, 4}}, "recorder");
  const Read history = read(run, {kActs.tensor});
  EXPECT_EQ(history.columns.first(), 2u);
  EXPECT_EQ(history.tensors.at(0).samples, 3u);
  EXPECT_EQ(history.tensors.at(0).last.update, 4u);
}

TEST(TensorHistory, GuessesTheKindOfATensorThatIsNotListed) {
  WrittenRun run({kGradient});
  run.write(0, 0, {{1, 1}});
  const TensorHistory history = read(run, {}).tensors.at(0);
  EXPECT_EQ(history.tensor.kind, TensorKind::gradient);
  EXPECT_EQ(history.tensor.name, "dense/kernel:0_grad");
}

} // namespace
} // namespace popscope::host
