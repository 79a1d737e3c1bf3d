#include "host/command.hpp"
#include "host/plan/options/time_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace popscope::host {
namespace {

TEST(TimeBudget, IsAPercentage) {
  EXPECT_DOUBLE_EQ(parseTimeBudget("2%"), 0.02);
  EXPECT_DOUBLE_EQ(parseTimeBudget("0.5%"), 0.005);
  EXPECT_DOUBLE_EQ(parseTimeBudget("100%"), 1.0);
}

TEST(TimeBudget, RefusesAnythingElseAndSaysWhatWouldDo) {
  for (const char *text :
       {"0.02", "2", "%", "0%", "100.1%", "-1%", "+1%", "1e1%", "2 %", " 2%",
        "nan%", "inf%", "1.2.3%", ".%", "2%%"})
    try {
      parseTimeBudget(text);
      FAIL() << text;
    } catch (const BadInput &error) {
      EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr(text),
                                               testing::HasSubstr("2%")));
    }
}

} // namespace
} // namespace popscope::host
