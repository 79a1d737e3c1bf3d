#include "host/report/heat_map.hpp"
#include "host/report/heat_map_images.hpp"
#include "tests/host/report/written_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using graph::TapMoment;
using graph::TensorKind;
using testing::ElementsAre;
using tests::tapOf;
using tests::WrittenRun;

const std::vector<outfeed::Tap> kTaps = {
    tapOf("dense/kernel:0_grad", TensorKind::gradient, TapMoment::microBatch),
    tapOf("dense/kernel:0_grad", TensorKind::gradient, TapMoment::accumulated),
    tapOf("conv_0/kernel:0_grad", TensorKind::gradient, TapMoment::microBatch),
    tapOf("conv_0_acts", TensorKind::activation),
    tapOf("input", TensorKind::input)};

TensorHistory historyOf(const outfeed::Tap &tap) {
  TensorHistory history;
  history.tag = tagOf(tap);
  history.tensor = tap.tensor;
  return history;
}

std::vector<std::string> labelsOf(const std::vector<HeatMapRow> &rows) {
  std::vector<std::string> labels;
  for (const HeatMapRow &row : rows)
    labels.push_back(row.label);
  return labels;
}

TEST(HeatMap, RowsAreInTheOrderOfLayersAndGradientsAreTheLastOfAnUpdate) {
  const WrittenRun run(kTaps);
  std::vector<TensorHistory> tensors;
  for (const outfeed::Tap &tap : kTaps)
    tensors.push_back(historyOf(tap));
  EXPECT_THAT(labelsOf(rowsOf(heatMaps()[0], tensors, run.manifest())),
              ElementsAre("conv_0/kernel_per_micro_batch", "dense/kernel"));
  EXPECT_THAT(labelsOf(rowsOf(heatMaps()[1], tensors, run.manifest())),
              ElementsAre("input", "conv_0"));
  EXPECT_TRUE(rowsOf(heatMaps()[2], tensors, run.manifest()).empty());
}

TEST(HeatMap, ShowsTheFirstOfItsStatisticsThatIsRecorded) {
  std::vector<TensorHistory> tensors = {historyOf(kTaps[3])};
  const std::vector<HeatMapRow> rows = {{"conv_0", 0}};
  EXPECT_EQ(statisticOf(heatMaps()[1], rows, tensors), std::nullopt);
  RecordedSample &sample = tensors[0].cells[0].sample;
  sample.values[*placeOfStatistic("abs_max")] = 1.0f; // as of an alarm
  EXPECT_EQ(statisticOf(heatMaps()[1], rows, tensors),
            placeOfStatistic("abs_max"));
  sample.values[*placeOfStatistic("std")] = 1.0f;
  EXPECT_EQ(statisticOf(heatMaps()[1], rows, tensors), placeOfStatistic("std"));
}

TEST(HeatMap, ImagesAreOfWhatTheRunHasRecorded) {
  WrittenRun run(kTaps);
  EXPECT_TRUE(drawHeatMaps(run.path(), run.manifest()).empty());
  run.write(1, 0, {{3, 4}, {6, 8}});
  run.write(3, 0, {{1, 2}, {1, 3}});
  std::vector<std::string> tags;
  for (const HeatMapImage &image : drawHeatMaps(run.path(), run.manifest())) {
    tags.push_back(image.tag);
    EXPECT_GT(image.image.width, 100u);
  }
  EXPECT_THAT(tags,
              ElementsAre("heat_maps/gradients", "heat_maps/activations"));
}

} // namespace
} // namespace popscope::host
