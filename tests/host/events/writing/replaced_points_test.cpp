#include "host/events/writing/replaced_points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace popscope::host::events {
namespace {

using ::testing::ElementsAre;
using Steps = std::vector<std::int64_t>;

Steps remaining(const Steps &steps) {
  ReplacedPoints points;
  for (const std::int64_t step : steps)
    points.add(step);
  Steps left;
  for (const std::int64_t step : steps)
    if (points.remains(step))
      left.push_back(step);
  return left;
}

// What TensorBoard's default loader does, point by point.
Steps keptOneByOne(const Steps &steps) {
  Steps kept;
  for (const std::int64_t step : steps) {
    while (!kept.empty() && kept.back() >= step)
      kept.pop_back();
    kept.push_back(step);
  }
  return kept;
}

TEST(ReplacedPoints, AreAllIfStepsRise) {
  EXPECT_THAT(remaining({-3, 0, 7}), ElementsAre(-3, 0, 7));
}

TEST(ReplacedPoints, AreTheLastOfARepeatedStep) {
  ReplacedPoints points;
  for (int i = 0; i < 3; ++i)
    points.add(5);
  EXPECT_FALSE(points.remains(5));
  EXPECT_FALSE(points.remains(5));
  EXPECT_TRUE(points.remains(5));
}

TEST(ReplacedPoints, AreThoseTensorBoardKeepsWhateverTheSteps) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Steps steps(random() % 12);
    for (auto &step : steps)
      step = random() % 8;
    EXPECT_EQ(remaining(steps), keptOneByOne(steps)) << round;
  }
}

} // namespace
} // namespace popscope::host::events
