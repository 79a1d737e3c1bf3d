// What the callbacks of a training leave behind when it is stopped and resumed.
#include "host/graph_page/training_page.hpp"
#include "host/train/training_callbacks.hpp"
#include "summary/records/event_files.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;

TrainingData fourDigits(unsigned side = 8) {
  Dataset set;
  set.rows = set.columns = side;
  set.pixels.resize(std::size_t(4) * side * side);
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

EpochResult resultOf(Epoch epoch, const TrainingPlan &plan) {
  EpochResult result;
  result.epoch = epoch;
  result.updates = epoch.number();
  result.training = result.validation = {{"loss", 2.0}, {"accuracy", 0.5}};
  result.weights = std::make_shared<const std::vector<WeightValues>>();
  const std::vector<float> even(4 * plan.preset.classNames.size(), 0.1f);
  result.testPredictions = std::make_shared<const Predictions>(
      Predictions{unsigned(plan.preset.classNames.size()), even, even});
  return result;
}

// Whatever comes next, a kill included.
TEST(TrainingCallbacks, APointOfAFinishedEpochIsInItsFileAtOnce) {
  for (const char *preset : {"mlp", "cnn", "gmp-cnn", "fashion", "digits"}) {
    const tests::TempDir logs;
    TrainOptions options;
    options.preset = preset;
    options.epochs = 1;
    options.batchSize = 1;
    options.batchesPerEpoch = 240; // whole updates, whatever the preset
    options.periods.evaluate = 1;
    const TrainingData data =
        fourDigits(preset == std::string("digits") ? 8 : 28);
    const TrainingPlan plan =
        planTraining(choosePreset(options), options, data);
    tests::ReportedLines reported;
    const RunDirectory run(logs.path(), "r", ExistingRun::refuse,
                           reported.report);
    const auto callbacks =
        makeCallbacks(plan, data, run, describeTraining(plan.spec, 1, {}));
    const auto valuesInFiles = [&] {
      std::size_t values = 0;
      for (const auto &found : summary::findRuns(logs.path()))
        for (const tests::Event &event : tests::readRun(found.path))
          values += std::size_t(event.summary().value_size());
      return values;
    };
    for (const auto &callback : callbacks)
      callback->trainBegin();
    for (const auto &callback : callbacks)
      callback->epochEnd(resultOf(Epoch(0), plan));
    const std::size_t atOnce = valuesInFiles();
    EXPECT_GT(atOnce, 3u) << preset;
    run.flush();
    EXPECT_EQ(valuesInFiles(), atOnce) << preset;
  }
}

} // namespace
} // namespace popscope::host
