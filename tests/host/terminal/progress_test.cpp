#include "host/terminal/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace popscope::host {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Progress, WritesNothingIntoAPipe) {
  std::ostringstream out;
  Progress progress(out, ProgressStyle::silent);
  progress.show("epoch 1/2", 1, 2);
  progress.clear();
  EXPECT_EQ(out.str(), "");
}

TEST(Progress, RedrawsOneLineOnATerminal) {
  std::ostringstream out;
  Progress progress(out, ProgressStyle::line);
  progress.show("epoch 1/2", 1, 2);
  EXPECT_THAT(out.str(), HasSubstr("epoch 1/2 [===============     "));
  EXPECT_THAT(out.str(), HasSubstr("] 50 %"));
  EXPECT_THAT(out.str(), Not(HasSubstr("\n")));
}

TEST(Progress, DrawsOnlyWhenThePercentageMoves) {
  std::ostringstream out;
  Progress progress(out, ProgressStyle::line);
  progress.show("e", 10000, 1000000);
  const std::string once = out.str();
  progress.show("e", 10001, 1000000);
  EXPECT_EQ(out.str(), once);
}

TEST(Progress, ClearLeavesAnEmptyLineOnlyIfSomethingWasDrawn) {
  std::ostringstream out;
  Progress progress(out, ProgressStyle::line);
  progress.clear();
  EXPECT_EQ(out.str(), "");
  progress.show("e", 0, 0);
  progress.clear();
  EXPECT_EQ(out.str().substr(out.str().size() - 4), "\r\x1b[K");
}

} // namespace
} // namespace popscope::host
