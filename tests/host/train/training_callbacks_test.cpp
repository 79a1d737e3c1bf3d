// What the callbacks of a training leave behind when it is stopped and resumed.
#include "host/graph_page/training_page.hpp"
#include "host/train/training_callbacks.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;

TrainingData fourDigits() {
  Dataset set;
  set.rows = set.columns = 8;
  set.pixels.resize(4 * 64);
  set.labels = {0, 1, 2, 3};
  TrainingData data;
  data.train = data.test = data.sample = set;
  data.classes = 10;
  return data;
}

// Begins the training of the digits in `firstEpoch`, and stops it.
void startDigits(const tests::TempDir &logs, ExistingRun existing,
                 Epoch firstEpoch) {
  TrainOptions options;
  options.preset = "digits";
  const TrainingData data = fourDigits();
  const TrainingPlan plan = planTraining(choosePreset(options), options, data);
  tests::ReportedLines reported;
  RunDirectory run(logs.path(), "r", existing, reported.report);
  run.setFirstEpoch(firstEpoch);
  for (const auto &callback :
       makeCallbacks(plan, data, run, describeTraining(plan.spec, 1, {})))
    callback->trainBegin();
}

// The steps of the training data that TensorBoard shows.
std::vector<std::int64_t> shownSteps(const tests::TempDir &logs) {
  std::vector<std::int64_t> steps;
  for (const tests::Event &event : tests::readRun(logs.path() / "r/test")) {
    if (event.has_session_log())
      steps.erase(std::remove_if(
                      steps.begin(), steps.end(),
                      [&](std::int64_t step) { return step >= event.step(); }),
                  steps.end());
    for (const std::int64_t step : tests::stepsOf({event}, "Training Data"))
      steps.push_back(step);
  }
  return steps;
}

TEST(TrainingCallbacks, ResumedDigitsHaveTheTrainingDataOnce) {
  const tests::TempDir logs;
  startDigits(logs, ExistingRun::refuse, Epoch(0));
  EXPECT_THAT(shownSteps(logs), ElementsAre(0));
  startDigits(logs, ExistingRun::resume, Epoch(0));
  EXPECT_THAT(shownSteps(logs), ElementsAre(0)) << "stopped in the first epoch";
  startDigits(logs, ExistingRun::resume, Epoch(3));
  EXPECT_THAT(shownSteps(logs), ElementsAre(0)) << "stopped in the fourth";
}

} // namespace
} // namespace popscope::host
