#include "host/train/training_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TrainingPlan planOf(ValidationSet validation, unsigned every) {
  TrainingPlan plan;
  plan.preset.validation = validation;
  plan.preset.validationEvery = every;
  plan.epochs = 15;
  plan.batchesPerEpoch = 8;
  return plan;
}

EpochMetrics metricsOf(unsigned epochNumber, double loss) {
  return {Epoch(epochNumber - 1), {{"loss", loss}}};
}

std::string printed(const TrainingPlan &plan, const Results &results) {
  std::ostringstream out;
  printResults(out, plan, results);
  return out.str();
}

TEST(TrainingResults, SayWhichEpochEachColumnIsOf) {
  EXPECT_EQ(printed(planOf(ValidationSet::split, 2),
                    {metricsOf(15, 0.25), metricsOf(14, 0.5), {{"loss", 1}}}),
            "\n"
            "  metric  training  validation    test\n"
            "  epoch         15          14      15\n"
            "  loss      0.2500      0.5000  1.0000\n");
}

TEST(TrainingResults, SayWhyThereIsNoValidation) {
  const Results results{metricsOf(15, 0.25), {}, {{"loss", 1}}};
  const std::string none = printed(planOf(ValidationSet::none, 1), results);
  EXPECT_THAT(none, EndsWith("\n  no validation: there is no validation "
                             "set\n"));
  EXPECT_THAT(none, Not(HasSubstr("-")));
  EXPECT_THAT(printed(planOf(ValidationSet::split, 16), results),
              HasSubstr("no validation: it follows every 16th epoch, and this "
                        "training has completed none of those since it "
                        "started\n"));
}

TEST(TrainingResults, SayWhoAskedForNoValidation) {
  EXPECT_THAT(printed(planOf(ValidationSet::none, 0),
                      {metricsOf(15, 0.25), {}, {{"loss", 1}}}),
              HasSubstr("no validation: --validate-every 0 asks for none\n"));
}

TEST(TrainingResults, SayWhyThereIsNoTraining) {
  EXPECT_THAT(printed(planOf(ValidationSet::none, 1), {{}, {}, {{"loss", 1}}}),
              HasSubstr("\n  no training: nothing was left to train\n"));
}

TEST(TrainingPlace, IsAnEpochAndItsBatches) {
  const TrainingPlan plan = planOf(ValidationSet::none, 1);
  EXPECT_EQ(placeOf(Batches(0), plan), "before the first batch");
  EXPECT_EQ(placeOf(Batches(4), plan),
            "in epoch 1 of 15, after 4 of 8 batches");
  EXPECT_EQ(placeOf(Batches(8), plan), "after epoch 1 of 15");
}

TEST(ResumeCommand, NamesTheRunWhichHasItsOptions) {
  EXPECT_EQ(resumeCommand({"popscope", "train", "--tap", "* -> alarm"},
                          "logs/night", {}),
            "popscope train --resume logs/night");
  EXPECT_EQ(resumeCommand({"my programs/p", "train", "--clean"}, "a b/r", {}),
            "'my programs/p' train --resume 'a b/r'");
}

TEST(ResumeCommand, StartsAsManyInstances) {
  EXPECT_EQ(resumeCommand({"popscope", "train"}, "logs/night", {2, 0, 4}),
            "poprun --num-instances 2 --num-replicas 4 popscope train --resume "
            "logs/night");
}

} // namespace
} // namespace popscope::host
