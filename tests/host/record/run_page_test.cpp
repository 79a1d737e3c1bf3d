// What a run writes for HParams, Text and Custom Scalars.
#include "host/record/hyperparameters.hpp"
#include "host/record/run_page.hpp"
#include "summary/proto/hparams.pb.h"
#include "tests/support/read_events.hpp"
#include "tests/support/reported_lines.hpp"
#include "tests/support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <utility>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class RunPageTest : public ::testing::Test {
protected:
  RunPageTest() {
    data.train.rows = data.train.columns = 28;
    data.train.labels.resize(8000);
    data.train.pixels.resize(8000 * 784);
    data.test = slice(data.train, 0, 2000);
    data.classes = 10;
    TrainOptions options;
    options.preset = "cnn";
    options.epochs = 3;
    plan = planTraining(choosePreset(options), options, data);
  }
  RunDescription description() const {
    return {plan,
            data,
            "data/mnist",
            "IPU model, 2 IPUs of 8 tiles",
            {"popscope", "train", "--tap", "* -> alarm"}};
  }
  RunDirectory open(ExistingRun existing = ExistingRun::refuse) {
    return {dir.path(), "r", existing, reported.report};
  }
  std::vector<tests::Event> events() const {
    return tests::readRun(dir.path() / "r");
  }
  std::string text(const std::string &tag) const {
    const auto values = tests::valuesOf(events(), tag);
    return values.empty() ? "" : values.back().tensor().string_val(0);
  }
  summary::proto::HParamsPluginData session(const summary::Tag &tag) const {
    summary::proto::HParamsPluginData data;
    const auto values = tests::valuesOf(events(), tag.name());
    EXPECT_EQ(values.size(), 1u);
    if (!values.empty())
      data.ParseFromString(values[0].metadata().plugin_data().content());
    return data;
  }
  // Writes all there is of a training that ends so.
  void finish(RunEnding ending) {
    const RunDirectory run = open();
    RunPage page(run, run.log(summary::Step(0)), summary::Step(0),
                 description(), {});
    page.end({ending, "after epoch 3 of 3", 0.12345, {}}, summary::Step(24));
  }

  const tests::TempDir dir;
  tests::ReportedLines reported;
  TrainingData data;
  TrainingPlan plan;
};

TEST_F(RunPageTest, HyperparametersAreWhatTheWeightsDependOn) {
  finish(RunEnding::completed);
  const auto start = session(summary::sessionStartTag()).session_start_info();
  const auto &hparams = start.hparams();
  EXPECT_EQ(hparams.at("preset").string_value(), "cnn");
  EXPECT_EQ(hparams.at("optimizer").string_value(), "rmsprop");
  EXPECT_EQ(hparams.at("learning_rate").number_value(), 0.001);
  EXPECT_EQ(hparams.at("learning_rate_schedule").string_value(), "constant");
  EXPECT_EQ(hparams.at("batch_size").number_value(), 32);
  EXPECT_EQ(hparams.at("gradient_accumulation").number_value(), 16);
  EXPECT_EQ(hparams.at("accumulation_method").string_value(), "sum");
  EXPECT_EQ(hparams.at("pipeline_stages").number_value(), 2);
  EXPECT_EQ(hparams.at("precision").string_value(), "float");
  EXPECT_EQ(hparams.at("seed").number_value(), 1);
  EXPECT_EQ(hparams.count("epochs"), 0u) << "a resumed run may have more";
}

TEST_F(RunPageTest, SessionEndsAsTheTrainingDid) {
  using Proto = summary::proto::Status;
  const std::pair<RunEnding, Proto> endings[] = {
      {RunEnding::completed, summary::proto::STATUS_SUCCESS},
      {RunEnding::failed, summary::proto::STATUS_FAILURE},
      {RunEnding::interrupted, summary::proto::STATUS_UNKNOWN}};
  for (const auto &[ending, status] : endings) {
    std::filesystem::remove_all(dir.path() / "r");
    finish(ending);
    EXPECT_EQ(session(summary::sessionEndTag()).session_end_info().status(),
              status);
  }
}

TEST_F(RunPageTest, ATrainingThatEndsByAnExceptionHasFailed) {
  {
    const RunDirectory run = open();
    const RunPage page(run, run.log(summary::Step(0)), summary::Step(0),
                       description(), {});
  }
  EXPECT_EQ(session(summary::sessionEndTag()).session_end_info().status(),
            summary::proto::STATUS_FAILURE);
  EXPECT_THAT(text("health"), HasSubstr("The training **failed** by an error"));
}

TEST_F(RunPageTest, TextSaysWhatRan) {
  finish(RunEnding::completed);
  EXPECT_THAT(tests::stepsOf(events(), "what_ran"), ElementsAre(0));
  const std::string ran = text("what_ran");
  EXPECT_THAT(ran, HasSubstr("```\npopscope train --tap '* -> alarm'\n```"));
  EXPECT_THAT(ran, HasSubstr("`data/mnist`: 8,000 training, 2,000 test images "
                             "of 28x28, 10 classes"));
  EXPECT_THAT(ran, HasSubstr("IPU model, 2 IPUs of 8 tiles"));
  EXPECT_THAT(ran, HasSubstr("PopScope " POPSCOPE_VERSION));
  EXPECT_THAT(ran, HasSubstr("| conv_0 | convolution 3x3, ReLU | "
                             "26 x 26 x 32 | 320 | 0 |"));
  EXPECT_THAT(ran, HasSubstr("| conv_2 | convolution 3x3, ReLU | 3 x 3 x 32 | "
                             "18,464 | 1 |"));
  EXPECT_THAT(ran, HasSubstr("| dense | dense, softmax | 10 | 330 | 1 |"));
  EXPECT_THAT(ran, HasSubstr("**37,610**"));
}

TEST_F(RunPageTest, StagesAreShownOnlyInAPipeline) {
  plan.spec.pipelined = false;
  EXPECT_THAT(describeRun(description()), Not(HasSubstr("stage")));
}

TEST_F(RunPageTest, HealthSaysThatNothingWasWatched) {
  finish(RunEnding::interrupted);
  EXPECT_THAT(tests::stepsOf(events(), "health"), ElementsAre(24));
  EXPECT_THAT(text("health"),
              HasSubstr("The training **was interrupted** after epoch 3 of 3"));
  EXPECT_THAT(text("health"), HasSubstr("last epoch is 0.1235."));
  EXPECT_THAT(text("health"), HasSubstr("none was watched"));
}

TEST_F(RunPageTest, HealthListsTheTensorsThatWentBad) {
  RunHealth health;
  health.tensors = {{"input", 4, 0, 0, 0, {}}};
  EXPECT_THAT(describeHealth(health),
              HasSubstr("1 tensor was watched: no element was NaN"));
  health.tensors->push_back({"dense_acts", 1234, 5, 6, 7, outfeed::Update(8)});
  const std::string text = describeHealth(health);
  EXPECT_THAT(text, HasSubstr("2 tensors were watched: 1 had"));
  EXPECT_THAT(text, HasSubstr("| `dense_acts` | 1,234 | 5 | 6 | 7 | 8 |"));
  EXPECT_THAT(text, Not(HasSubstr("`input`")));
}

TEST_F(RunPageTest, HealthTellsHowTensorsWithHistogramsFareInHalf) {
  RunHealth health;
  health.tensors = {{"input", 4, 0, 0, 0, {}}};
  EXPECT_THAT(describeHealth(health), Not(HasSubstr("In half")));
  outfeed::HealthCount::Row row{"conv_0_acts_grad", 1, 0, 0, 0, {}};
  row.magnitudes.add(histogramOf(
      outfeed::sampleOfFloats(std::vector<float>{3e-5f, -4e-5f, 0.5f, 0.25f})));
  health.tensors->push_back(row);
  const std::string text = describeHealth(health);
  EXPECT_THAT(text, HasSubstr("In half, which holds up to 65504"));
  EXPECT_THAT(text, HasSubstr("best scale of f143"));
  EXPECT_THAT(text, HasSubstr("| `conv_0_acts_grad` | 0.5 | 17.0 | 0 | 0 |"));
  EXPECT_THAT(text, Not(HasSubstr("| inf |")));
  health.tensors->back().infinite = 4;
  EXPECT_THAT(describeHealth(health),
              HasSubstr("| `conv_0_acts_grad` | inf | none | 0 | 50% |"));
  EXPECT_THAT(text, HasSubstr("\nloss scale: multiply it by 2^"));
}

TEST_F(RunPageTest, AResumedRunEndsAsItsLastStart) {
  finish(RunEnding::interrupted);
  {
    RunDirectory run = open(ExistingRun::resume);
    run.begin();
    RunPage page(run, run.log(summary::Step(24)), summary::Step(24),
                 description(), {});
    page.end({RunEnding::completed, "after epoch 6 of 6", {}, {}},
             summary::Step(48));
  }
  EXPECT_EQ(session(summary::sessionEndTag()).session_end_info().status(),
            summary::proto::STATUS_SUCCESS);
  EXPECT_THAT(tests::stepsOf(events(), "what_ran"), ElementsAre(0, 24));
  EXPECT_THAT(tests::stepsOf(events(), "health"), ElementsAre(24, 48));
}

} // namespace
} // namespace popscope::host
