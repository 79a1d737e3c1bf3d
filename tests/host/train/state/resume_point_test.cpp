// Which plans go on with each other's weights.
#include "host/train/state/resume_point.hpp"

#include <gtest/gtest.h>
#include <string>

namespace popscope::host {
namespace {

TEST(ResumePoint, PlansTrainAlikeWhateverTheLengthOfTheirExecutions) {
  TrainingPlan plan;
  plan.preset.name = "cnn";
  const std::string one = plan.describe();
  plan.batchesPerExecution = 8;
  EXPECT_NE(plan.describe(), one);
  EXPECT_TRUE(trainAlike(plan.describe(), one));
  plan.seed = 2;
  EXPECT_FALSE(trainAlike(plan.describe(), one));
}

} // namespace
} // namespace popscope::host
