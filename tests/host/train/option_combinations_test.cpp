#include "host/command.hpp"
#include "host/train/option_combinations.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

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
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.inspection.dropFrames = true; }),
            "--drop-frames has no effect without --tap: nothing is watched");
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.noInspection = true; }), "");
}

TEST(OptionCombinations, ContinuingAndCleaningNeedANamedRun) {
  EXPECT_EQ(errorOf([](TrainOptions &o) { o.resume = true; }),
            "--resume needs --run, the name of the run to continue");
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

} // namespace
} // namespace popscope::host
