#include "host/callbacks/pr_curves.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PrCurvesTest : public ::testing::Test {
protected:
  PrCurvesTest() {
    test.rows = test.columns = 1;
    test.pixels.assign(4, 0);
    test.labels = {0, 1, 1, 0};
  }
  EpochResult resultOf(unsigned epoch, bool isEvaluated = true) const {
    EpochResult result;
    result.epoch = Epoch(epoch);
    if (isEvaluated)
      result.testPredictions = std::make_shared<const Predictions>(
          Predictions{2, {0.9f, 0.1f, 0.2f, 0.8f, 0.3f, 0.7f, 0.4f, 0.6f}});
    return result;
  }
  // The steps of the curves of a training that is evaluated every `period`.
  std::vector<std::int64_t> steps(unsigned epochs, unsigned period,
                                  unsigned firstStep = 0) {
    const tests::TempDir logs;
    {
      const RunDirectory run(logs.path(), "r", ExistingRun::refuse,
                             reported.report);
      PrCurves curves(run, {"evaluation", firstStep}, epochs, period, test,
                      {"cat", "T-shirt/top"});
      for (unsigned epoch = 0; epoch < epochs; ++epoch) {
        EXPECT_FALSE(curves.wants(Epoch(epoch)).testPredictions);
        curves.epochEnd(resultOf(epoch, (epoch + 1) % period == 0));
      }
      if (!std::filesystem::exists(run.path() / "evaluation"))
        return {};
    }
    return tests::stepsOf(tests::readRun(logs.path() / "r/evaluation"),
                          "precision_recall/cat");
  }

  tests::ReportedLines reported;
  Dataset test;
};

TEST_F(PrCurvesTest, EachClassHasTheCountsOfItsProbabilities) {
  const tests::TempDir logs;
  {
    const RunDirectory run(logs.path(), "r", ExistingRun::refuse,
                           reported.report);
    PrCurves(run, {"evaluation"}, 1, 1, test, {"cat", "T-shirt/top"})
        .epochEnd(resultOf(0));
  }
  const auto events = tests::readRun(logs.path() / "r/evaluation");
  const auto values = tests::valuesOf(events, "precision_recall/T-shirt/top");
  ASSERT_EQ(values.size(), 1u);
  EXPECT_EQ(values[0].metadata().plugin_data().plugin_name(), "pr_curves");
  const std::string &content = values[0].tensor().tensor_content();
  std::vector<float> counts(content.size() / sizeof(float));
  std::memcpy(counts.data(), content.data(), content.size());
  ASSERT_EQ(counts.size(), 6u * 201);
  // Of 0.1, 0.8, 0.7, 0.6 the middle two are right: at 0.65 they alone are
  // taken, at 0.5 one wrong one besides.
  EXPECT_EQ(counts[130], 2.0f);
  EXPECT_EQ(counts[201 + 130], 0.0f);
  EXPECT_EQ(counts[100], 2.0f);
  EXPECT_EQ(counts[201 + 100], 1.0f);
}

TEST_F(PrCurvesTest, ThereAreAtMostAboutTenAndOneOfTheLastEpoch) {
  EXPECT_THAT(steps(3, 1), ElementsAre(0, 1, 2));
  EXPECT_THAT(steps(25, 1), ElementsAre(2, 5, 8, 11, 14, 17, 20, 23, 24));
  EXPECT_EQ(steps(3000, 1).size(), 10u);
  EXPECT_EQ(steps(3000, 1).back(), 2999);
}

TEST_F(PrCurvesTest, FollowTheEvaluationsAndAskForNoneThemselves) {
  EXPECT_THAT(steps(50, 5), ElementsAre(4, 9, 14, 19, 24, 29, 34, 39, 44, 49));
  EXPECT_THAT(steps(60, 5), ElementsAre(9, 19, 29, 39, 49, 59));
  EXPECT_THAT(steps(4, 5), IsEmpty());
}

TEST_F(PrCurvesTest, CountStepsAsTheRunDoes) {
  EXPECT_THAT(steps(2, 1, 1), ElementsAre(1, 2));
}

} // namespace
} // namespace popscope::host
