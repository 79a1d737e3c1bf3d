#include "host/command.hpp"
#include "host/plan/option_combinations.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace popscope::host {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string errorOf(const std::function<void(TrainOptions &)> &change,
                    const std::string &preset = "cnn") {
  TrainOptions options;
  change(options);
  try {
    checkCombinations(options, presetNamed(preset));
  } catch (const BadInput &error) {
    return error.what();
  }
  return "";
}

TEST(OptionCombinations, LookingAtSamplesNeedsTaps) {
  const auto watch = [](TrainOptions &o) { o.inspection.watch = true; };
  EXPECT_EQ(errorOf(watch),
            "--watch has no effect without --tap: nothing is watched");
  EXPECT_EQ(errorOf(watch, "mlp"), "") << "it taps by itself";
  EXPECT_EQ(errorOf([](TrainOptions &o) {
              o.inspection.watch = true;
              o.inspection.rules = {"*"};
            }),
            "");
  EXPECT_EQ(errorOf(
                [](TrainOptions &o) {
                  o.inspection.json = "-";
                  o.noInspection = true;
                },
                "mlp"),
            "--inspect-json has no effect with --no-inspection");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.inspection.keepApart = true; }),
            "--keep-apart has no effect without --tap: nothing is watched");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.inspection.mergeReplicas = true; }),
            "--merge-replicas has no effect without --tap: nothing is watched");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.inspection.dropFrames = true; }),
            "--drop-frames has no effect without --tap: nothing is watched");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.noInspection = true; }), "");
  EXPECT_EQ(errorOf([](TrainOptions &o) {
              o.inspection.debugger = true;
              o.noInspection = true;
            }),
            "--debugger has no effect with --no-inspection");
  EXPECT_EQ(errorOf([](TrainOptions &o) {
              o.inspection.debugger = o.inspection.noHealth = true;
            }),
            "--debugger has no effect without --tap: nothing is watched");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.inspection.debugger = true; }), "")
      << "health is always watched";
}

TEST(OptionCombinations, ContinuingAndCleaningNeedANamedRun) {
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.resume = true; }),
            "--resume needs --run, the name of the run to continue, or its "
            "directory: --resume logs/NAME");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.clean = true; }),
            "--clean has no effect without --run: a run without a name is "
            "always new");
  EXPECT_EQ(errorOf([](TrainOptions &o) {
              o.run = "r";
              o.resume = o.clean = true;
            }),
            "--resume continues a run and --clean deletes it; give only one of "
            "them");
}

TEST(OptionCombinations, ContradictionsNameBoth) {
  EXPECT_EQ(
      errorOf([](TrainOptions &o) { o.quiet = o.inspection.watch = true; }),
      "--watch shows a table and --quiet nothing; give only one of them");
  EXPECT_EQ(errorOf([](TrainOptions &o) {
              o.tutorial.noPipelining = true;
              o.pipelineStages = "2";
            }),
            "--pipeline-stages and --no-pipelining both decide the stages; "
            "give only one of them");
}

TEST(OptionCombinations, TablesNeedTaps) {
  EXPECT_EQ(errorOf(
                [](TrainOptions &o) {
                  o.tutorial.given = {"--activations-filters", "--model-type"};
                  o.noInspection = true;
                },
                "mlp"),
            "--activations-filters has no effect with --no-inspection");
}

std::vector<std::string>
notesOn(const std::function<void(TrainOptions &)> &change) {
  TrainOptions options;
  options.preset = "mlp";
  change(options);
  return ineffectiveTutorialOptions(options);
}

TEST(OptionCombinations, OptionsThatThePipelineDecidesArePointedOut) {
  const auto both = [](TrainOptions &o) {
    o.tutorial.modelType = ModelType::functional;
    o.tutorial.useGradientAccumulation = true;
  };
  EXPECT_THAT(notesOn(both),
              ElementsAre("--model-type Model has no effect without "
                          "--no-pipelining: both pipelined models are the same",
                          "--use-gradient-accumulation has no effect without "
                          "--no-pipelining: a pipeline always accumulates"));
  EXPECT_THAT(notesOn([&](TrainOptions &o) {
                both(o);
                o.tutorial.noPipelining = true;
              }),
              IsEmpty());
}

TEST(OptionCombinations, AccumulationThatIsGivenTwiceIsPointedOut) {
  EXPECT_THAT(notesOn([](TrainOptions &o) {
                o.tutorial.noPipelining = true;
                o.tutorial.useGradientAccumulation = true;
                o.accumulation = 8;
              }),
              ElementsAre("--use-gradient-accumulation has no effect with "
                          "--gradient-accumulation, which says how many "
                          "batches"));
}

TEST(OptionCombinations, GradientsOfASingleBatchAreNotPreAccumulated) {
  const auto preAccumulated = [](TrainOptions &o) {
    o.tutorial.outfeedPreAccumulatedGradients = true;
  };
  EXPECT_THAT(notesOn(preAccumulated), IsEmpty());
  EXPECT_THAT(notesOn([&](TrainOptions &o) {
                preAccumulated(o);
                o.tutorial.noPipelining = true;
              }),
              ElementsAre("--outfeed-pre-accumulated-gradients has no effect "
                          "without gradient accumulation: an update has one "
                          "batch"));
}

TEST(OptionCombinations, FilterOfASingleOutfeedIsPointedOut) {
  EXPECT_THAT(notesOn([](TrainOptions &o) {
                o.tutorial.given = {"--activations-filters"};
                o.tutorial.activationsFilters = {"Dense_10"};
                o.tutorial.modelType = ModelType::functional;
                o.tutorial.noPipelining = true;
              }),
              ElementsAre("--activations-filters has no effect with "
                          "--model-type Model and --no-pipelining, which "
                          "always show Dense_128_acts"));
}

TEST(OptionCombinations, ABudgetNeedsRulesThatCanBeTurnedOff) {
  const auto budget = [](TrainOptions &o) { o.inspection.budget = 0.02; };
  EXPECT_EQ(errorOf(budget), "--budget has no effect without --tap: only what "
                             "rules sample is thinned");
  EXPECT_EQ(errorOf(budget, "mlp"), "") << "it taps by itself";
  const auto with = [&](const std::function<void(TrainOptions &)> &change) {
    return errorOf([&](TrainOptions &o) {
      o.inspection.rules = {"*"};
      budget(o);
      change(o);
    });
  };
  EXPECT_EQ(with([](TrainOptions &) {}), "");
  EXPECT_EQ(with([](TrainOptions &o) { o.noInspection = true; }),
            "--budget has no effect with --no-inspection");
  const auto impossible = [](const std::string &option) {
    return "--budget turns rules on and off to time them, which " + option +
           " makes impossible; give only one of them";
  };
  EXPECT_EQ(with([](TrainOptions &o) { o.inspection.noControl = true; }),
            impossible("--no-control"));
  EXPECT_EQ(with([](TrainOptions &o) { o.inspection.recorderUpdates = 4; }),
            impossible("--recorder"));
  EXPECT_EQ(with([](TrainOptions &o) { o.inspection.onAlarm = OnAlarm::dump; }),
            impossible("--on-alarm dump"));
}

TEST(OptionCombinations, MergedReplicasNeedSeveralAndAreNotKeptApart) {
  const auto merged = [](unsigned replicas, bool apart) {
    return errorOf([=](TrainOptions &o) {
      o.inspection.rules = {"*"};
      o.inspection.mergeReplicas = true;
      o.inspection.keepApart = apart;
      o.replicas = replicas;
    });
  };
  EXPECT_EQ(merged(2, false), "");
  EXPECT_EQ(merged(1, false),
            "--merge-replicas has no effect without --replicas: there is one");
  EXPECT_EQ(merged(2, true),
            "--merge-replicas makes one sample of all replicas and "
            "--keep-apart one of each; give only one of them");
}

} // namespace
} // namespace popscope::host
