#include "host/report/timeline.hpp"
#include "tests/host/report/written_run.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tests::tapOf;
using tests::WrittenRun;

std::vector<std::pair<double, double>> pointsOf(const Curve &curve) {
  std::vector<std::pair<double, double>> points;
  for (const Curve::Point &point : curve.points)
    points.emplace_back(point.update, point.value);
  return points;
}

TEST(Curves, AreOverUpdatesWhateverTheirStepsCount) {
  WrittenRun run({tapOf("loss", graph::TensorKind::loss)});
  run.writeScalars("train", "epoch_loss", {{0, 2.f}, {1, 1.f}});
  run.writeScalars("validation", "epoch_accuracy", {{1, 0.5f}});
  run.writeScalars("test", "Loss", {{1, 3.f}}); // counts epochs from 1
  run.writeScalars("train2", "epoch_auc", {{0, 9.f}});
  run.write(0, 0, {{1, 3}, {2, 2}});
  const std::vector<Curve> curves = readCurves(run.path(), 4);
  ASSERT_EQ(curves.size(), 4u);
  EXPECT_EQ(curves[0].set, ""); // of each update, by a tap
  EXPECT_THAT(pointsOf(curves[0]),
              ElementsAre(std::pair(0., 2.), std::pair(1., 2.)));
  EXPECT_EQ(curves[1].set, "test");
  EXPECT_THAT(pointsOf(curves[1]), ElementsAre(std::pair(4., 3.)));
  EXPECT_EQ(curves[2].set, "train");
  EXPECT_THAT(pointsOf(curves[2]),
              ElementsAre(std::pair(4., 2.), std::pair(8., 1.)));
  EXPECT_EQ(curves[3].metric, "accuracy");
}

TEST(Curves, LeaveOutWhatARestartHasReplaced) {
  WrittenRun run({});
  run.writeScalars("train", "epoch_loss", {{0, 2.f}, {1, 1.f}, {2, 9.f}});
  run.writeScalars("train", "epoch_loss", {{1, 1.5f}});
  EXPECT_THAT(pointsOf(readCurves(run.path(), 1).at(0)),
              ElementsAre(std::pair(1., 2.), std::pair(2., 1.5)));
}

TEST(Curves, OfVeryManyPointsKeepTheirExtremes) {
  WrittenRun run({});
  std::vector<std::pair<int, float>> points;
  for (int i = 0; i < 30000; ++i)
    points.emplace_back(i, i == 12345 ? 100.f : i == 12346 ? -7.f : 1.f);
  run.writeScalars("train", "epoch_loss", points);
  const Curve curve = readCurves(run.path(), 1).at(0);
  EXPECT_LE(curve.points.size(), 2000u);
  const auto isLower = [](const Curve::Point &a, const Curve::Point &b) {
    return a.value < b.value;
  };
  const auto [low, high] =
      std::minmax_element(curve.points.begin(), curve.points.end(), isLower);
  EXPECT_EQ(low->value, -7);
  EXPECT_EQ(high->value, 100);
  EXPECT_EQ(high->update, 12346);
}

TEST(Alerts, AreOfTheHealthAndOfTheLogByUpdate) {
  WrittenRun run({});
  run.describe(R"({"first_not_finite": {"tensor": "conv_0_acts", "update": 21,
                   "cause": "overflow"}})");
  {
    summary::EventWriter writer(run.path().string());
    writer.text(summary::Tag("fired/dense_acts"), summary::Step(37), "too big");
    writer.text(summary::Tag("control"), summary::Step(5), "enabled");
    writer.text(summary::Tag("what_ran"), summary::Step(0), "a training");
    (void)writer.close();
  }
  const text::JsonValue manifest = text::parseJson(
      R"({"health": {"first_not_finite": {"tensor": "conv_0_acts",
          "update": 21, "cause": "overflow"}}})");
  const std::vector<Alert> alerts = readAlerts(run.path(), manifest);
  ASSERT_EQ(alerts.size(), 3u);
  EXPECT_EQ(alerts[0].kind, "control");
  EXPECT_EQ(alerts[1].kind, "not finite");
  EXPECT_EQ(alerts[1].update, 21u);
  EXPECT_EQ(alerts[1].tensor, "conv_0_acts");
  EXPECT_EQ(alerts[2].kind, "condition");
  EXPECT_EQ(alerts[2].tensor, "dense_acts");
  EXPECT_THAT(alerts[2].text, HasSubstr("too big"));
}

} // namespace
} // namespace popscope::host
