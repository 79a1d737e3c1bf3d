#include "outfeed/rules/rule_error.hpp"
#include "outfeed/rules/schedule_parser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace popscope::outfeed {
namespace {

std::string message(const std::string &text) {
  try {
    parseSchedule(text);
  } catch (const RuleError &error) {
    return error.what();
  }
  return "";
}

TEST(ScheduleParser, StepsAreUpdates) {
  EXPECT_TRUE(parseSchedule("updates 3,4") == parseSchedule("steps 3,4"));
  EXPECT_EQ(parseSchedule("steps 4, 3,3").text(), "updates 3,4");
}

TEST(ScheduleParser, WordsComeInAnyOrder) {
  EXPECT_TRUE(parseSchedule("until 9 every 3 updates 1 from 2") ==
              parseSchedule("every 3 from 2 until 9 updates 1"));
}

TEST(ScheduleParser, SaysWhatItExpectsAndWhere) {
  EXPECT_EQ(message("every 2 from 5 until 4"),
            "[outfeed] 'from' is greater than 'until'\n"
            "  every 2 from 5 until 4\n"
            "                 ^");
  for (const auto &[text, expected] :
       {std::pair("every", "expected a whole number after 'every'"),
        std::pair("every x", "after 'every', not 'x'"),
        std::pair("every 0", "'every' has to be 1 or more"),
        std::pair("every 2 every 3", "'every' is given twice"),
        std::pair("updates 1 steps 2", "'updates' is given twice"),
        std::pair("sometimes 3", "expected 'every', 'from', 'until' or"),
        std::pair("10", "e.g. every 10"),
        std::pair("never every 2", "'never' stands alone"),
        std::pair("until 3 never", "'never' stands alone"),
        std::pair("every 2 & from 3", "expected 'every', 'from', 'until' or"),
        std::pair("from -1", "after 'from', not '-1'"),
        std::pair("until 4294967296", "the largest is 4294967295"),
        std::pair("steps", "expected a whole number after 'steps'"),
        std::pair("updates 1,b", "after 'updates', not 'b'"),
        std::pair("updates 1,", "expected a whole number after 'updates'"),
        std::pair("updates ,1", "expected a whole number after 'updates'")})
    EXPECT_THAT(message(text), testing::HasSubstr(expected)) << text;
}

} // namespace
} // namespace popscope::outfeed
