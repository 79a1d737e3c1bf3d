// What each callback leaves behind.
#include "graph/models.hpp"
#include "host/callbacks/confusion_matrix_image.hpp"
#include "host/callbacks/evaluate.hpp"
#include "host/callbacks/learning_rate_log.hpp"
#include "host/callbacks/render_filters.hpp"
#include "host/callbacks/tensorboard.hpp"
#include "host/callbacks/test_curves.hpp"
#include "host/callbacks/test_sheet.hpp"
#include "tests/host/callbacks/epoch_result.hpp"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tests::resultOf;

// Four images of two classes, three of them answered rightly.
Dataset fourImages() {
  Dataset set;
  set.rows = set.columns = 2;
  set.pixels.assign(16, 9);
  set.labels = {0, 1, 1, 0};
  return set;
}

std::unique_ptr<summary::EventWriter> writerIn(const tests::TempDir &dir) {
  return std::make_unique<summary::EventWriter>(dir.path() / "run");
}

std::vector<tests::Event> eventsIn(const tests::TempDir &dir,
                                   const std::string &run = "run") {
  return tests::readRun(dir.path() / run);
}

TEST(Callbacks, EvaluateWritesEveryMetricWhenDue) {
  const tests::TempDir dir;
  const Dataset test = fourImages();
  {
    Evaluate evaluate(writerIn(dir), Stagger{2}, test, MetricSet(2, {}));
    for (unsigned epoch = 0; epoch < 4; ++epoch)
      evaluate.epochEnd(resultOf(epoch));
  }
  const auto events = eventsIn(dir);
  EXPECT_THAT(tests::stepsOf(events, "evaluation_loss"), ElementsAre(1, 3));
  EXPECT_FLOAT_EQ(
      tests::valuesOf(events, "evaluation_accuracy").at(0).simple_value(),
      0.75f);
}

TEST(Callbacks, LearningRateIsLoggedUnderItsName) {
  const tests::TempDir dir;
  LearningRateLog(writerIn(dir)).epochEnd(resultOf(3));
  const auto events = eventsIn(dir);
  EXPECT_THAT(tests::stepsOf(events, "learning_rate"), ElementsAre(3));
  EXPECT_EQ(tests::valuesOf(events, "learning_rate")[0].simple_value(), 0.25f);
}

TEST(Callbacks, ConfusionMatrixIsAnImage) {
  const tests::TempDir dir;
  const Dataset test = fourImages();
  ConfusionMatrixImage(writerIn(dir), Stagger{1}, test, {"coat", "bag"})
      .epochEnd(resultOf(0));
  EXPECT_THAT(tests::stepsOf(eventsIn(dir), "Confusion Matrix"),
              ElementsAre(0));
}

TEST(Callbacks, FiltersOfNamedLayersAreRendered) {
  const tests::TempDir dir;
  RenderFilters(writerIn(dir), Stagger{1}, {"conv"}).epochEnd(resultOf(0));
  EXPECT_THAT(tests::stepsOf(eventsIn(dir), "conv"), ElementsAre(0));
  const tests::TempDir other;
  RenderFilters unknown(writerIn(other), Stagger{1}, {"cnov"});
  EXPECT_THROW(unknown.epochEnd(resultOf(0)), std::invalid_argument);
}

TEST(Callbacks, TestCurvesCountFromOne) {
  const tests::TempDir dir;
  const Dataset test = fourImages();
  {
    TestCurves curves(writerIn(dir), Stagger{3, true}, test, 2);
    for (unsigned epoch = 0; epoch < 4; ++epoch)
      curves.epochEnd(resultOf(epoch));
  }
  const auto events = eventsIn(dir);
  EXPECT_THAT(tests::stepsOf(events, "Loss"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(tests::stepsOf(events, "Accuracy"), ElementsAre(1, 3));
}

TrainingData fourOfEach() {
  TrainingData data;
  data.train = data.test = data.sample = fourImages();
  data.classes = 2;
  return data;
}

TEST(Callbacks, TestSheetShowsTrainingDataThenAnswers) {
  const tests::TempDir dir;
  const TrainingData data = fourOfEach();
  {
    TestSheet sheet(writerIn(dir), Stagger{2, true}, data, Epoch(0));
    sheet.trainBegin();
    for (unsigned epoch = 0; epoch < 2; ++epoch)
      sheet.epochEnd(resultOf(epoch));
  }
  const auto events = eventsIn(dir);
  EXPECT_THAT(tests::stepsOf(events, "Training Data"), ElementsAre(0));
  EXPECT_THAT(tests::stepsOf(events, "Step 1 Accuracy Testsheet"),
              ElementsAre(1));
  EXPECT_THAT(tests::stepsOf(events, "Step 2 Accuracy Testsheet"),
              ElementsAre(2));
  EXPECT_THAT(tests::stepsOf(events, "Model Output"), ElementsAre(1, 2));
  EXPECT_EQ(
      tests::valuesOf(events, "Model Output").at(0).tensor().string_val_size(),
      4)
      << "width, height and two pictures";
}

TEST(Callbacks, ResumedTestSheetDoesNotRepeatTheTrainingData) {
  const tests::TempDir dir;
  const TrainingData data = fourOfEach();
  {
    TestSheet sheet(writerIn(dir), Stagger{1}, data, Epoch(3));
    sheet.trainBegin();
    sheet.epochEnd(resultOf(3));
  }
  const auto events = eventsIn(dir);
  EXPECT_THAT(tests::stepsOf(events, "Training Data"), IsEmpty());
  EXPECT_THAT(tests::stepsOf(events, "Model Output"), ElementsAre(4));
}

TrainingPage smallPage() {
  graph::TrainingSpec spec;
  spec.model = graph::fashionModel();
  CostEstimates estimates;
  estimates.cycles["dense_0/fwd"] = 100;
  estimates.cyclesPerSecond = 1e9;
  return describeTraining(spec, 1, estimates);
}

TEST(Callbacks, TensorBoardHasTheRunsAndTagsOfKeras) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  {
    const RunDirectory run(dir.path(), "r", ExistingRun::refuse,
                           reported.report);
    TensorBoard board(run, smallPage(), Stagger{2});
    EXPECT_FALSE(board.wants(Epoch(0)).weights);
    EXPECT_TRUE(board.wants(Epoch(1)).weights);
    board.trainBegin();
    for (unsigned epoch = 0; epoch < 2; ++epoch) {
      EpochResult result = resultOf(epoch);
      result.updates = 8 * (epoch + 1);
      if (epoch == 1)
        result.validation = {{"loss", 3.0}, {"accuracy", 0.25}};
      board.epochEnd(result);
    }
  }
  const auto train = eventsIn(dir, "r/train");
  const auto validation = eventsIn(dir, "r/validation");
  EXPECT_THAT(tests::stepsOf(train, "epoch_loss"), ElementsAre(0, 1));
  EXPECT_THAT(tests::stepsOf(train, "epoch_learning_rate"), ElementsAre(0, 1));
  EXPECT_THAT(tests::stepsOf(train, "dense/bias/histogram"), ElementsAre(1));
  EXPECT_THAT(tests::stepsOf(train, "keras"), ElementsAre(0));
  EXPECT_THAT(tests::stepsOf(validation, "epoch_accuracy"), ElementsAre(1));
  EXPECT_EQ(tests::valuesOf(validation, "epoch_loss")[0].simple_value(), 3.0f);
  EXPECT_THAT(tests::stepsOf(validation, "evaluation_accuracy_vs_iterations"),
              ElementsAre(16))
      << "the updates that were made";
  EXPECT_EQ(tests::valuesOf(validation, "evaluation_loss_vs_iterations")[0]
                .simple_value(),
            3.0f);
  EXPECT_TRUE(std::any_of(train.begin(), train.end(), [](const auto &event) {
    return !event.graph_def().empty();
  }));
  EXPECT_TRUE(std::any_of(train.begin(), train.end(), [](const auto &event) {
    return event.tagged_run_metadata().tag() ==
           "estimated time of 1000 batches";
  }));
}

// Steps and values of a tag as TensorBoard shows them: a start discards what it
// will come to again, whatever the steps count.
std::map<std::int64_t, float> shown(const std::vector<tests::Event> &events,
                                    const std::string &tag) {
  std::map<std::int64_t, float> points;
  for (const tests::Event &event : events) {
    if (event.has_session_log())
      points.erase(points.lower_bound(event.step()), points.end());
    for (const auto &value : tests::valuesOf({event}, tag))
      points[event.step()] = value.simple_value();
  }
  return points;
}

TEST(Callbacks, ResumedTensorBoardKeepsTheCurvesOverUpdates) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  // Epochs from `from` up to, not including, `to`, of 8 updates each, validated
  // every second.
  const auto train = [&](ExistingRun existing, unsigned from, unsigned to) {
    RunDirectory run(dir.path(), "r", existing, reported.report);
    run.setFirstEpoch(Epoch(from));
    TensorBoard board(run, {}, Stagger{0}, 8 * from);
    for (unsigned epoch = from; epoch < to; ++epoch) {
      EpochResult result = resultOf(epoch);
      result.updates = 8 * (epoch + 1);
      if (epoch % 2 == 1)
        result.validation = {{"loss", double(epoch)}};
      board.epochEnd(result);
    }
  };
  train(ExistingRun::refuse, 0, 4); // killed after a checkpoint of epoch 2
  train(ExistingRun::resume, 2, 6);
  train(ExistingRun::resume, 6, 8);
  const auto validation = eventsIn(dir, "r/validation");
  using Points = std::map<std::int64_t, float>;
  EXPECT_EQ(shown(validation, "epoch_loss"),
            (Points{{1, 1}, {3, 3}, {5, 5}, {7, 7}}));
  EXPECT_EQ(shown(validation, "evaluation_loss_vs_iterations"),
            (Points{{16, 1}, {32, 3}, {48, 5}, {64, 7}}));
}

// Also where epochs are as many as updates, so that some are not discarded.
TEST(Callbacks, ResumedTensorBoardHasEachPointOverUpdatesOnce) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  for (const unsigned from : {0u, 0u, 2u, 3u, 3u, 6u}) {
    const bool isFirst = !std::filesystem::exists(dir.path() / "r");
    RunDirectory run(dir.path(), "r",
                     isFirst ? ExistingRun::refuse : ExistingRun::resume,
                     reported.report);
    run.setFirstEpoch(Epoch(from));
    TensorBoard board(run, {}, Stagger{0}, from);
    for (unsigned epoch = from; epoch < from + 3; ++epoch) {
      EpochResult result = resultOf(epoch);
      result.updates = epoch + 1;
      result.validation = {{"loss", double(epoch)}};
      board.epochEnd(result);
    }
  }
  std::multiset<std::int64_t> steps;
  for (const tests::Event &event : eventsIn(dir, "r/validation")) {
    if (event.has_session_log())
      steps.erase(steps.lower_bound(event.step()), steps.end());
    for (const std::int64_t step :
         tests::stepsOf({event}, "evaluation_loss_vs_iterations"))
      steps.insert(step);
  }
  EXPECT_THAT(steps, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST(Callbacks, TensorBoardResumedInTheFirstEpochHasItsGraph) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  for (const ExistingRun existing :
       {ExistingRun::refuse, ExistingRun::resume}) {
    const RunDirectory run(dir.path(), "r", existing, reported.report);
    TensorBoard(run, smallPage(), Stagger{0}).trainBegin();
  }
  bool hasGraph = false; // after the last start, which discards all before
  for (const tests::Event &event : eventsIn(dir, "r/train"))
    hasGraph = (hasGraph && !event.has_session_log()) || event.has_graph_def();
  EXPECT_TRUE(hasGraph);
}

TEST(Callbacks, ResumedTensorBoardHidesWhatIsBeyondEvenIfNothingIsLeft) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  const auto start = [&](ExistingRun existing, unsigned from, unsigned to) {
    RunDirectory run(dir.path(), "r", existing, reported.report);
    run.setFirstEpoch(Epoch(from));
    TensorBoard board(run, {}, Stagger{0}, 8 * from);
    for (unsigned epoch = from; epoch < to; ++epoch) {
      EpochResult result = resultOf(epoch);
      result.updates = 8 * (epoch + 1);
      result.validation = {{"loss", double(epoch)}};
      board.epochEnd(result);
    }
  };
  start(ExistingRun::refuse, 0, 3); // killed after a checkpoint of epoch 2
  start(ExistingRun::resume, 2, 2); // --epochs 2
  using Points = std::map<std::int64_t, float>;
  EXPECT_EQ(shown(eventsIn(dir, "r/train"), "epoch_loss").size(), 2u);
  const auto validation = eventsIn(dir, "r/validation");
  EXPECT_EQ(shown(validation, "epoch_loss"), (Points{{0, 0}, {1, 1}}));
  EXPECT_EQ(shown(validation, "evaluation_loss_vs_iterations"),
            (Points{{8, 0}, {16, 1}}));
}

TEST(Callbacks, RunThatCannotBeWrittenSparesTheOthers) {
  const tests::TempDir dir;
  tests::ReportedLines reported;
  std::filesystem::create_directory(dir.path() / "r");
  dir.file("r/validation", "in the way");
  RunDirectory run(dir.path(), "r", ExistingRun::resume, reported.report);
  run.setFirstEpoch(Epoch(4));
  {
    TensorBoard board(run, {}, Stagger{2});
    for (unsigned epoch = 4; epoch < 7; ++epoch) {
      EpochResult result = resultOf(epoch);
      result.updates = 8 * (epoch + 1);
      result.validation = {{"loss", 3.0}};
      board.epochEnd(result);
    }
  }
  EXPECT_THAT(tests::stepsOf(eventsIn(dir, "r/train"), "epoch_loss"),
              ElementsAre(4, 5, 6));
  EXPECT_THAT(reported.lines,
              ElementsAre(HasSubstr("r/validation: cannot be created: ")));
  EXPECT_THAT(reported.report.text(), HasSubstr("(lost 7 records, "));
  EXPECT_THAT(reported.report.text(), HasSubstr("from epoch 5)"));
}

} // namespace
} // namespace popscope::host
