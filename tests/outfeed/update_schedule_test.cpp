#include "outfeed/update_schedule.hpp"

#include "outfeed/schedule_parser.hpp"

#include <gtest/gtest.h>

namespace popscope::outfeed {
namespace {

std::vector<std::uint32_t> dueSteps(const UpdateSchedule &schedule,
                                    std::uint32_t end) {
  std::vector<std::uint32_t> due;
  for (std::uint32_t step = 0; step < end; ++step)
    if (schedule.isDue(Update(step)))
      due.push_back(step);
  return due;
}

using Steps = std::vector<std::uint32_t>;

TEST(UpdateSchedule, WithoutWordsIsAlwaysDue) {
  EXPECT_TRUE(parseSchedule("").isAlways());
  EXPECT_TRUE(parseSchedule("every 1").isAlways());
  EXPECT_FALSE(parseSchedule("every 2").isAlways());
}

TEST(UpdateSchedule, RepeatsBetweenItsEnds) {
  EXPECT_EQ(dueSteps(parseSchedule("every 3 from 2 until 9"), 20),
            (Steps{2, 5, 8}));
  EXPECT_EQ(dueSteps(parseSchedule("until 2"), 20), (Steps{0, 1, 2}));
}

TEST(UpdateSchedule, AListStandsAloneOrBesideAPeriod) {
  EXPECT_EQ(dueSteps(parseSchedule("steps 7,1,4"), 20), (Steps{1, 4, 7}));
  EXPECT_EQ(dueSteps(parseSchedule("steps 3, 4, 9 every 8"), 10),
            (Steps{0, 3, 4, 8, 9}));
  EXPECT_EQ(dueSteps(parseSchedule("every 5 steps 1"), 11),
            (Steps{0, 1, 5, 10}));
}

TEST(UpdateSchedule, TellsTheNthDueStep) {
  for (const char *text :
       {"every 3 from 2", "steps 1,4,9", "every 5 steps 1"}) {
    const UpdateSchedule schedule = parseSchedule(text);
    const Steps due = dueSteps(schedule, 30);
    for (std::size_t n = 0; n < due.size(); ++n)
      EXPECT_EQ(schedule.dueUpdate(n).value(), due[n]) << text;
  }
}

TEST(UpdateSchedule, CountsTheDueStepsBeforeAnother) {
  for (const char *text : {"", "every 3 from 2", "every 3 from 2 until 9",
                           "steps 1,4,9", "every 5 steps 1,5"}) {
    const UpdateSchedule schedule = parseSchedule(text);
    for (std::uint32_t step = 0; step < 30; ++step)
      EXPECT_EQ(schedule.dueBefore(Update(step)),
                dueSteps(schedule, step).size())
          << text << " before " << step;
  }
}

TEST(UpdateSchedule, ItsTextSaysTheSame) {
  for (const char *text : {"every 1", "every 3 from 2 until 9", "updates 1,4,7",
                           "every 5 updates 1"}) {
    EXPECT_EQ(parseSchedule(text).text(), text);
    EXPECT_TRUE(parseSchedule(parseSchedule(text).text()) ==
                parseSchedule(text));
  }
}

} // namespace
} // namespace popscope::outfeed
