#include "text/nearest_names.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace popscope::text {
namespace {

const std::vector<std::string> &names() {
  static const std::vector<std::string> names = {"loss", "loss/test",
                                                 "accuracy", "learning_rate"};
  return names;
}

TEST(NearestNames, TheNearestComeFirst) {
  EXPECT_EQ(nearestNames("los", names()), "loss, loss/test, learning_rate");
  EXPECT_EQ(nearestName("*RATE*", names()), "learning_rate");
}

TEST(NearestNames, ASimilarNameIsOneThatWasMisspelt) {
  EXPECT_EQ(similarName("acuracy", names()), "accuracy");
  EXPECT_EQ(similarName("Loss", names()), "loss");
  EXPECT_EQ(similarName("tanh", names()), "");
  EXPECT_EQ(similarName("rate", names()), "");
}

TEST(NearestNames, ChangesAreOfWholeWords) {
  EXPECT_EQ(changesBetween("stage", "stage"), 0u);
  EXPECT_EQ(changesBetween("stag", "stage"), 1u);
  EXPECT_EQ(changesBetween("Kind", "knd"), 1u);
  EXPECT_EQ(changesBetween("kernel", "numel"), 4u);
  EXPECT_EQ(changesBetween("", "at"), 2u);
}

} // namespace
} // namespace popscope::text
